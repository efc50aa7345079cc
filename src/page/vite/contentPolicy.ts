/**
 * The page's Content Security Policy, which a static host can't send as a header: the built page's own script (index.html) writes it
 * before anything is loaded, with the servers added that the visitor has allowed.
 */
import { createHash } from 'node:crypto';
import type { Plugin } from 'vite';

const SCRIPT = /<script>([\s\S]*?)<\/script>/g;

/** `script`: the text of the one script that is written into the page itself. */
export function policyOf(script: string): string {
  const hash = createHash('sha256').update(script).digest('base64');
  return [
    "default-src 'none'",
    `script-src 'self' 'wasm-unsafe-eval' 'sha256-${hash}'`,
    "worker-src 'self' blob:",
    // Mantine writes sizes and colours into the page.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "manifest-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    // Text becomes HTML, a program or a program's address only through the one policy that index.html makes.
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ].join('; ');
}

/** Gives the policy to the page's script. */
export function contentPolicy(): Plugin {
  return {
    name: 'content-policy',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html) {
        const scripts = [...html.matchAll(SCRIPT)];
        const [script] = scripts;
        if (script?.[1] === undefined || scripts.length > 1)
          throw new Error(`index.html holds ${scripts.length} scripts of its own; the policy is for one.`);
        const policy = policyOf(script[1]);
        return html.replace('<script>', () => `<script data-policy="${policy}">`);
      },
    },
  };
}
