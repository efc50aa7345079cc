import { expect, test } from 'vitest';
import { defaultConfig } from '../settings/presets/presets.ts';
import { modelKey, modelProblem } from './namedModels.ts';

test('a model of another name is refused with the names there are', () => {
  const problem = modelProblem({ ...defaultConfig('sum_digits'), model: 'tiny' });
  expect(problem?.title).toContain('"tiny"');
  expect(problem?.text).toMatch(/starter.*rpn-scratch/);
  expect(modelProblem(defaultConfig('sum_digits'))).toBeNull();
  expect(modelProblem(defaultConfig('rpn_arithmetic'))).toBeNull();
});

test('a model that has no words for the task is refused with what to choose', () => {
  const problem = modelProblem({ ...defaultConfig('sum_digits'), model: 'rpn-scratch' });
  expect(problem?.title).toContain('does not fit');
  expect(problem?.text).toContain('rpn_arithmetic');
});

test('bundled models are told apart by name alone, made ones also by seed', () => {
  const [sums, rpn] = [defaultConfig('sum_digits'), defaultConfig('rpn_arithmetic')];
  expect(modelKey({ ...sums, seed: 3 })).toBe(modelKey(sums));
  expect(modelKey({ ...rpn, seed: 3 })).not.toBe(modelKey(rpn));
});
