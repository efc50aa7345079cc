import { expect, test } from 'vitest';
import { defaultConfig } from '../settings/presets/presets.ts';
import { beginsWithPreflight } from './preflight.ts';

test('with a model of one’s own a run of 512 answers, eight times those of the pre-flight, begins with it, and a shorter one does not', () => {
  const config = { ...defaultConfig('reverse_digits'), problemsPerStep: 4, rolloutsPerProblem: 16 };
  expect(beginsWithPreflight({ ...config, numSteps: 8 }, false)).toBe(true);
  expect(beginsWithPreflight({ ...config, numSteps: 7 }, false)).toBe(false);
  expect(beginsWithPreflight({ ...config, numSteps: 1 }, true)).toBe(true);
});
