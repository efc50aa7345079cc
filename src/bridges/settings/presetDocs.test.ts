/** docs/settings.md says which model each preset runs with; models have changed under it before. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { GYM_MODEL } from '@rl-playground/tasks/parts';
import { readSettings } from './read.ts';
import { defaultConfig } from '@rl-playground/run/settings';

const PAGE = readFileSync(new URL('../../../docs/settings.md', import.meta.url), 'utf8');

/** Cells of a row in the table of presets, by the preset that heads their column. */
function cellsOf(row: string): ReadonlyMap<string, string> {
  const [, table = ''] = /\n## Presets\n[^|]*(\|[^]*?)\n\n/.exec(PAGE) ?? [];
  const [heads = [], ...rows] = table.split('\n').map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  const cells = rows.find(([name]) => name === row) ?? [];
  return new Map(heads.map((head, column) => [head, cells[column] ?? '']));
}

/** The model of a file of RL for Real's that asks some tasks. */
function modelOfFile(datasets: string): string {
  const read = readSettings(`datasets: {${datasets}}\nmodel_name_or_path: a/b\nmax_steps: 1\n`);
  if (!read.ok) throw new Error(read.errors.join('\n'));
  return read.config.model;
}

test.each<[column: string, model: string]>([
  ['monarch-digits', defaultConfig('sum_digits', 'monarch-digits').model],
  ['tinker-rl-basic', defaultConfig('tinker_arithmetic', 'tinker-rl-basic').model],
  ['tinker-rl-loop', defaultConfig('tinker_arithmetic', 'tinker-rl-loop').model],
  ['rl-for-real-grpo', defaultConfig('syllogism', 'rl-for-real-grpo').model],
  ['rlvr-small / large / test', defaultConfig('rpn_arithmetic', 'rlvr-small').model],
])('%s: the model that its column names is the one that runs', (column, model) => {
  expect(cellsOf('Model').get(column)).toMatch(new RegExp(`^\`${model}\``));
});

test('files of RL for Real have the models that the page names', () => {
  const [, solo, several] =
    /becomes\s+`([\w-]+)` for syllogisms and\s+`([\w-]+)` for\s+tasks/.exec(PAGE) ?? [];
  expect(solo).toBe(modelOfFile('syllogism: {}'));
  expect(several).toBe(modelOfFile('syllogism: {}, basic_arithmetic: {}'));
});

test('tasks of several families have the model that reads all of them', () => {
  expect(modelOfFile('syllogism: {}, basic_arithmetic: {}')).toBe(GYM_MODEL);
});
