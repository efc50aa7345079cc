/** The code blocks of a page of docs/. Tests run them, because what a reader copies must work. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const BLOCK = /```js (\w+)\n([\s\S]*?)```/g;

/** The blocks that begin with ```js `kind`. */
export function snippetsOf(page: string, kind: string): string[] {
  const text = readFileSync(fileURLToPath(new URL(`../../../docs/${page}`, import.meta.url)), 'utf8');
  return [...text.matchAll(BLOCK)].flatMap(([, found, code = '']) => (found === kind ? [code] : []));
}
