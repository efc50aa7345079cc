import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FIELDS, snakeName } from '@rl-playground/run/settings';
import { TASKS } from '@rl-playground/tasks/parts';
import { PAGES, pagePath, unaligned, withTables } from './guide/pages.ts';
import { repository } from '../src/cli/tools.ts';

const textOf = (page: string): string => readFileSync(join(repository, pagePath(page)), 'utf8');

describe.each(PAGES)('docs/%s.md', (page) => {
  const text = textOf(page);

  it('has its tables as the code has them; npm run lab -- guide makes them anew', () => {
    expect(unaligned(text)).toBe(unaligned(withTables(text)));
  });
});

it('lists every setting once, and every task that a bundled model begins with', () => {
  const rows = textOf('settings').split('\n');
  const names = FIELDS.map(({ key }) => snakeName(key));
  expect(
    names.filter((name) => rows.filter((line) => line.startsWith(`| \`${name}\` `)).length !== 1),
  ).toEqual([]);
  const models = /<!-- table: starters -->([^]*?)<!-- end -->/.exec(textOf('tasks'))?.[1] ?? '';
  const missing = TASKS.filter(({ name, starter }) => models.includes(`\`${name}\``) !== (starter !== null));
  expect(missing.map(({ name }) => name)).toEqual([]);
});

it('finds a stale table, and a table that there is none of', () => {
  const page = textOf('settings');
  const stale = page.replace('`learning_rate`', '`learning_rates`');
  expect(stale).not.toBe(page);
  expect(unaligned(withTables(stale))).not.toBe(unaligned(stale));
  expect(() => withTables('<!-- table: alchemy -->\n<!-- end -->')).toThrow('There is no table "alchemy"');
});
