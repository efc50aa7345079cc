/** Lets the page's head be painted as soon as index.html is there. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const STYLES = fileURLToPath(new URL('../src/app/firstPaint.css', import.meta.url));
const HEAD_END = '</header>';
const STYLESHEET = /\s*<link rel="stylesheet"[^>]*>/g;

/** The stylesheet behind the head, for it keeps from being painted what stands behind it. */
function withStylesheetLater(html: string): string {
  if (html.split(HEAD_END).length !== 2)
    throw new Error('index.html has no single header to be painted first.');
  const links = [...html.matchAll(STYLESHEET)].map(([link]) => link.trim());
  return html.replaceAll(STYLESHEET, '').replace(HEAD_END, () => [HEAD_END, ...links].join('\n'));
}

/** Writes the head's styles into the page and, of a built page, puts the stylesheet behind the head. */
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
        return server === undefined ? withStylesheetLater(styled) : styled;
      },
    },
  };
}
