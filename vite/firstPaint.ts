/** Lets the page's head be painted as soon as index.html is there: its styles stand in it, and the stylesheet of the rest behind it. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const STYLES = fileURLToPath(new URL('../src/app/firstPaint.css', import.meta.url));
const HEAD_END = '</header>';
/** Keeps what stands in front of it from being painted; what stands behind it waits, as the page's script does. */
const STYLESHEET = /\s*<link rel="stylesheet"[^>]*>/g;
const ENTRY = /\s*<script type="module"[^>]*><\/script>/g;
/** What the entry imports. */
const IMPORTED = /<link rel="modulepreload"([^>]*?) href=("[^"]*")>/g;

export function firstPaint(): Plugin {
  return {
    name: 'first-paint',
    configureServer(server) {
      server.watcher.add(STYLES);
    },
    transformIndexHtml: {
      order: 'post',
      handler(html) {
        const links = [...html.matchAll(STYLESHEET)].map(([link]) => link.trim());
        const [entry = '', ...others] = [...html.matchAll(ENTRY)].map(([script]) => script);
        if (others.length > 0) throw new Error('index.html loads more than one script.');
        const head = html
          .replaceAll(STYLESHEET, '')
          .replace(entry, '')
          .replaceAll(
            IMPORTED,
            (_link, attributes: string, address: string) =>
              `<script type="module"${attributes} src=${address}></script>`,
          );
        if (head.split(HEAD_END).length !== 2)
          throw new Error('index.html has no single header to be painted first.');
        const styles = `<style>\n${readFileSync(STYLES, 'utf8')}</style>`;
        return head
          .replace('</head>', () => `${styles}${entry}\n  </head>`)
          .replace(HEAD_END, () => [HEAD_END, ...links].join('\n'));
      },
    },
  };
}
