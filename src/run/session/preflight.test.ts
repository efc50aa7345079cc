import { expect, test } from 'vitest';
import { defaultConfig } from '../settings/presets/presets.ts';
import { unaskedPreflight } from './preflight.ts';

test('with a model of one’s own a person’s run of 128 answers, eight times as many, begins with 16, and a shorter one or a program’s does not', () => {
  const config = { ...defaultConfig('reverse_digits'), problemsPerStep: 4, rolloutsPerProblem: 8 };
  const sizeOf = (numSteps: number, modelIsOurs: boolean, byHand: boolean) =>
    unaskedPreflight({ ...config, numSteps }, { modelIsOurs, byHand });
  expect(sizeOf(4, false, true)).toEqual({ problems: 4, answers: 4 });
  expect(sizeOf(3, false, true)).toBe(null);
  expect(sizeOf(40, false, false)).toBe(null);
  for (const byHand of [true, false]) expect(sizeOf(1, true, byHand)).toEqual({ problems: 8, answers: 8 });
});
