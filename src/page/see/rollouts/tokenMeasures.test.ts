import { expect, it } from 'vitest';
import { rolloutWith, trainedWith } from '@rl-playground/run/testing/stepContext';
import { tokenLevels, tokenNumbers } from './tokenMeasures.ts';

const rollout = rolloutWith({
  tokens: [7, 8],
  logprobs: [-1, -0.5],
  advantages: [2, -1],
  trained: {
    ...trainedWith({ logprobs: [-1.5, -0.5] }),
    oldLogprobs: [-1, -0.5],
    entropies: [0.4, 0.8],
  },
});

it('gives the numbers of a token, worked out by hand', () => {
  expect(tokenNumbers(rollout, 0)).toEqual({
    advantage: 2,
    samplerLogprob: -1,
    logprob: -1.5,
    entropy: 0.4,
    ratio: Math.exp(-0.5),
    gap: 0.5,
  });
  expect(tokenNumbers({ ...rollout, trained: null }, 1)).toMatchObject({ samplerLogprob: -0.5, ratio: null });
});

it('colours by shares of the largest', () => {
  expect(tokenLevels(rollout, 'advantage')).toEqual([1, -0.5]);
  expect(tokenLevels(rollout, 'entropy')).toEqual([0.5, 1]);
  expect(tokenLevels(rollout, 'ratio')).toEqual([-1, 0]);
  expect(tokenLevels(rollout, 'gap')).toEqual([1, 0]);
});
