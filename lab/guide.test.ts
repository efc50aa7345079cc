import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FIELDS } from '../src/config/describe.ts';
import { snakeName } from '../src/config/names.ts';
import { TASKS } from '@rl-playground/tasks/parts';
import { PAGES, pagePath, unaligned, withTables } from './guide/pages.ts';
import { repository } from '../src/cli/tools.ts';

const textOf = (page: string): string => readFileSync(join(repository, pagePath(page)), 'utf8');

describe.each(PAGES)('the guide’s page %s', (page) => {
  const text = textOf(page);

  it('has its tables as the code has them; npm run lab -- guide makes them anew', () => {
    expect(unaligned(text)).toBe(unaligned(withTables(text)));
  });

  it('links to files that are there', () => {
    const links = [...text.matchAll(/\]\(([^)#]+)(#[^)]*)?\)/g)].flatMap(([, path = '']) =>
      path === '' ? [] : [path],
    );
    expect(links.filter((path) => !existsSync(join(repository, dirname(pagePath(page)), path)))).toEqual([]);
  });
});

it('tells every setting and every task once', () => {
  const all = PAGES.map(textOf).join('\n');
  const rows = (name: string): number =>
    all.split('\n').filter((line) => line.startsWith(`| \`${name}\` `)).length;
  expect(FIELDS.map(({ key }) => snakeName(key)).filter((name) => rows(name) !== 1)).toEqual([]);
  expect(TASKS.filter(({ name, fields }) => rows(name) !== 1 + Object.keys(fields).length)).toEqual([]);
});

it('finds a stale table, and a table that there is none of', () => {
  const page = textOf('losses');
  const stale = page.replace('`learning_rate`', '`learning_rates`');
  expect(stale).not.toBe(page);
  expect(unaligned(withTables(stale))).not.toBe(unaligned(stale));
  expect(() => withTables('<!-- table: alchemy -->\n<!-- end -->')).toThrow('There is no table "alchemy"');
});
