import { expect, test } from 'vitest';
import { FIELDS } from '@rl-playground/run/settings';
import { findSettings } from './shown.ts';

const keys = (query: string): string[] => findSettings(FIELDS, query).map(({ key }) => key);

test('settings are found by label, by the name in files, by group and by words of the help, in any order', () => {
  expect(keys('clip low')).toContain('clipLow');
  expect(keys('low CLIP')).toEqual(keys('clip low'));
  expect(keys('rollouts_per_problem')).toEqual(['rolloutsPerProblem']);
  expect(keys('group lora')).toEqual(keys('lora group'));
  expect(keys('standard deviation rewards')).toContain('advantageScale');
});

test('an empty query finds all, and words that none has find nothing', () => {
  expect(keys(' ')).toHaveLength(FIELDS.length);
  expect(keys('clip xylophone')).toEqual([]);
});
