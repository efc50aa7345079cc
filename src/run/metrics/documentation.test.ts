import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { METRICS } from './metrics.ts';

const page = readFileSync(new URL('../../../docs/metrics.md', import.meta.url), 'utf8');
/** Cells of the page's tables, without the spaces that align them. */
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('\\|', '|')),
  );

test.each([...METRICS])('docs/metrics.md has $key as it is defined', ({ names, formula, unit }) => {
  const row = rows.find(([cell]) => cell === names.map((name) => `\`${name}\``).join(', '));
  expect(row?.slice(1)).toEqual([formula, unit]);
});
