import { expect, it } from 'vitest';
import { defaultConfig } from '@rl-playground/run/settings';
import { changesText, valueText } from './changes.ts';

const base = defaultConfig('reverse_digits');

it('names what differs between two runs with both values', () => {
  expect(changesText(base, base)).toBe('the same settings');
  expect(changesText(base, { ...base, seed: base.seed + 1 })).toBe(`Seed ${base.seed} → ${base.seed + 1}`);
  expect(changesText({ ...base, learningRate: 3e-4 }, { ...base, learningRate: 3e-5 })).toBe(
    'Learning rate 0.0003 → 0.00003',
  );
});

it('names settings of the same task as their form does', () => {
  expect(
    changesText(base, { ...base, taskConfig: { ...base.taskConfig, step_weight: 0.5, max_digits: 9 } }),
  ).toBe('Weight of right working 2 → 0.5, Most digits 7 → 9');
});

it('says what a task was set to, by the names of its form', () => {
  expect(valueText({ ...base, taskConfig: { max_digits: 9, step_weight: 0.5 } }, 'taskConfig')).toBe(
    'Most digits 9, Weight of right working 0.5',
  );
  expect(valueText({ ...base, taskConfig: {} }, 'taskConfig')).toBe('its defaults');
});

it('between two tasks names the task and what either run set itself, not each default of theirs', () => {
  expect(changesText(base, defaultConfig('sum_digits'))).toBe('Task reverse_digits → sum_digits');
  expect(changesText(base, { ...defaultConfig('sum_digits'), seed: 77 })).toBe(
    `Task reverse_digits → sum_digits, Seed ${base.seed} → 77`,
  );
});

it('counts what a line has no room for', () => {
  const changed = { ...base, seed: 9, numSteps: 7, topK: 5, maxTokens: 9, evalSamples: 9, temperature: 0.5 };
  expect(changesText(base, changed)).toMatch(/, 2 more$/);
});
