/** docs/presets.md says which model each experiment runs with; models have changed under it before. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { GYM_MODEL } from '@rl-playground/tasks/parts';
import { readSettings } from './files/read.ts';
import { defaultConfig } from './presets.ts';

const PAGE = readFileSync(new URL('../../docs/presets.md', import.meta.url), 'utf8');

/** Bundled and made models that a section's row of models names, each once. */
function modelsIn(heading: string): string[] {
  const section = PAGE.split(/^## /m).find((each) => each.startsWith(heading)) ?? '';
  const row = section.split('\n').find((line) => /^\| Model\s/.test(line)) ?? '';
  return [...new Set(row.match(/`(?:starter|rlvr|rpn)[\w-]*`/g) ?? [])].map((each) => each.slice(1, -1));
}

/** The model of a file of RL for Real's that asks some tasks. */
function modelOfFile(datasets: string): string {
  const read = readSettings(`datasets: {${datasets}}\nmodel_name_or_path: a/b\nmax_steps: 1\n`);
  if (!read.ok) throw new Error(read.errors.join('\n'));
  return read.config.model;
}

test.each<[heading: string, models: readonly string[]]>([
  ['Monarch', [defaultConfig('sum_digits', 'monarch-digits').model]],
  ['Tinker', [defaultConfig('tinker_arithmetic', 'tinker-rl-basic').model]],
  ['RL for Real', [modelOfFile('syllogism: {}'), modelOfFile('syllogism: {}, basic_arithmetic: {}')]],
  ['simplexity RLVR', [defaultConfig('rpn_arithmetic', 'rlvr-small').model]],
  ['TRL', [defaultConfig('syllogism', 'rl-for-real-grpo').model]],
])('%s: the models that its row names are those that run', (heading, models) => {
  expect(modelsIn(heading)).toEqual(models);
});

test('tasks of several families have the model that reads all of them', () => {
  expect(modelOfFile('syllogism: {}, basic_arithmetic: {}')).toBe(GYM_MODEL);
});
