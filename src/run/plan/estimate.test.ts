import { expect, it } from 'vitest';
import { defaultConfig } from '../settings/presets/presets.ts';
import { secondsFromAnswers } from './estimate.ts';

const config = { ...defaultConfig('reverse_digits'), problemsPerStep: 16, rolloutsPerProblem: 8 };
const timed = { seconds: 2, answers: 64 };

it('takes a step to last as long as writing its answers, and four times that for training on them', () => {
  // 128 answers take 4 s; a pass forward costs what writing does, then forward and backward three times as much.
  expect(secondsFromAnswers(config, timed)).toBeCloseTo(4 * (1 + 4), 10);
});

it('counts every pass over a batch, and half of the backward pass of frozen weights', () => {
  expect(secondsFromAnswers({ ...config, ppoEpochs: 2 }, timed)).toBeCloseTo(4 * (1 + 7), 10);
  expect(secondsFromAnswers({ ...config, loraRank: 8 }, timed)).toBeCloseTo(4 * (1 + 3), 10);
});
