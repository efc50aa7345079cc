/** The documents that hold tables of the code, with those tables made anew. */
import { TABLES } from './tables.ts';

export const PAGES = ['settings', 'tasks', 'models'] as const;

export const pagePath = (page: string): string => `docs/${page}.md`;

const BLOCK = /(<!-- table: ([^>]+) -->\n)[^]*?(<!-- end -->)/g;

/** @throws Error if it asks for a table that does not exist. */
export function withTables(text: string): string {
  return text.replaceAll(BLOCK, (_, begin: string, name: string, end: string) => {
    const made = TABLES[name];
    if (made === undefined)
      throw new Error(`There is no table "${name}"; there are: ${Object.keys(TABLES).join(', ')}.`);
    return `${begin}\n${made()}\n\n${end}`;
  });
}

/** The text without the spaces and dashes that align a table's columns. */
export function unaligned(text: string): string {
  return text
    .split('\n')
    .map((line) => (line.startsWith('|') ? line.replaceAll(/ {2,}/g, ' ').replaceAll(/-{3,}/g, '---') : line))
    .join('\n');
}
