/** Lets the page's head be painted as soon as index.html is there. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const STYLES = fileURLToPath(new URL('../ui/style/firstPaint.css', import.meta.url));
const HEAD_END = '</header>';
const STYLESHEET = /\s*<link rel="stylesheet"[^>]*>/g;
const ENTRY = /\s*<script type="module"[^>]*><\/script>/g;
/** The links to what the entry imports. */
const IMPORTED = /<link rel="modulepreload"([^>]*?) href=("[^"]*")>/g;

/** Moves the stylesheet behind the head, because a browser paints nothing that comes after it until it is loaded. */
function withStylesheetLater(html: string): string {
  if (html.split(HEAD_END).length !== 2)
    throw new Error('index.html has no single header to be painted first.');
  const links = [...html.matchAll(STYLESHEET)].map(([link]) => link.trim());
  return html.replaceAll(STYLESHEET, '').replace(HEAD_END, () => [HEAD_END, ...links].join('\n'));
}

/** Makes each import of the entry a script in front of it: a browser runs each script in a task of its own, but all that one script imports in one. */
function withScriptsApart(html: string): string {
  const [entry = '', ...others] = [...html.matchAll(ENTRY)].map(([script]) => script);
  if (others.length > 0) throw new Error('index.html loads more than one script.');
  return html
    .replace(entry, '')
    .replaceAll(
      IMPORTED,
      (_link, attributes: string, address: string) =>
        `<script type="module"${attributes} src=${address}></script>`,
    )
    .replace('</head>', () => `${entry.trim()}\n  </head>`);
}

/** Writes the head's styles into the page and, of a built page, puts what it loads behind the head and in parts. */
export function firstPaint(): Plugin {
  return {
    name: 'first-paint',
    configureServer(server) {
      server.watcher.add(STYLES);
    },
    transformIndexHtml: {
      order: 'post',
      handler(html, { server }) {
        const styled = html.replace(
          '</head>',
          () => `<style>\n${readFileSync(STYLES, 'utf8')}</style>\n  </head>`,
        );
        return server === undefined ? withScriptsApart(withStylesheetLater(styled)) : styled;
      },
    },
  };
}
