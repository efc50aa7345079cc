/** Answers measured for all: whom a share chooses, and that the figures from it have the right mean. */
import { describe, expect, test } from 'vitest';
import { drawsFor } from '@rl-playground/base/random';
import { everyProof } from '@rl-playground/base/testing/proofs';
import { contextWith, rolloutWith, trainedWith } from '../testing/stepContext.ts';
import { stepMetrics } from '../metrics/metrics.ts';
import { referenceShare, referenceWeights } from './referenceSample.ts';

const FIGURE = { klBeta: 0, klPenaltyCoef: 0, klMeasuredShare: 0.25 };

test('a share is measured where KL is a figure alone, of 16 answers at least', () => {
  expect(referenceShare(FIGURE, 128)).toBe(0.25);
  expect(referenceShare(FIGURE, 32)).toBe(0.5);
  expect(referenceShare(FIGURE, 9)).toBe(1);
  expect(referenceShare(FIGURE, 0)).toBe(1);
  expect(referenceShare({ ...FIGURE, klBeta: 0.01 }, 128)).toBe(1);
  expect(referenceShare({ ...FIGURE, klPenaltyCoef: 0.01 }, 128)).toBe(1);
});

describe('the answers that are measured', () => {
  const draw = drawsFor(7);
  const lengths = Array.from({ length: 101 }, () => 1 + Math.floor(90 * draw()));

  test.each([0.25, 0.3, 0.99])(
    'at a share of %d each stands for 1 / share, and is chosen that often',
    (share) => {
      const starts = everyProof ? 4000 : 1000;
      const sums = lengths.map(() => 0);
      for (let k = 0; k < starts; k++) {
        const weights = referenceWeights(lengths, share, () => (k + 0.5) / starts);
        const chosen = weights.filter((weight) => weight > 0);
        expect(chosen.every((weight) => weight === 1 / share)).toBe(true);
        expect(Math.abs(chosen.length - share * lengths.length)).toBeLessThan(1);
        weights.forEach((weight, i) => (sums[i] = (sums[i] ?? NaN) + weight / starts));
      }
      for (const mean of sums) expect(Math.abs(mean - 1)).toBeLessThan(0.01);
    },
  );

  test('the lengths of those chosen are spread as those of all', () => {
    const total = lengths.reduce((sum, length) => sum + length, 0);
    for (let seed = 0; seed < 20; seed++) {
      const weights = referenceWeights(lengths, 0.25, drawsFor(seed));
      const estimate = lengths.reduce((sum, length, i) => sum + length * (weights[i] ?? NaN), 0);
      expect(Math.abs(estimate / total - 1)).toBeLessThan(0.1);
    }
  });

  test('KL from a share is that of all answers on average over seeds', () => {
    const random = drawsFor(11);
    const answers = lengths.map((length, i) => {
      // Long answers are further away: an average over those chosen alone would be off.
      const spread = length / 100;
      const logprobs = Array.from({ length }, () => -1 - random());
      const referenceLogprobs = logprobs.map((logprob) => logprob - spread * (random() - 0.3));
      const sampled = logprobs.map((logprob) => logprob + 0.01 * random());
      const trained = trainedWith({ logprobs, referenceLogprobs, counted: i % 9 > 0 });
      return rolloutWith({ tokens: logprobs.map(() => 1), logprobs: sampled, trained });
    });
    const KEYS = ['kl', 'klK1', 'klK2', 'klPolicyBase'] as const;
    const figures = (weights: readonly number[]): number[] => {
      const rollouts = answers.map((answer, i) => {
        const referenceWeight = weights[i] ?? 0;
        const trained = answer.trained && {
          ...answer.trained,
          ...(referenceWeight > 0 ? {} : { referenceLogprobs: [] }),
        };
        return { ...answer, referenceWeight, trained };
      });
      const metrics = stepMetrics(contextWith(rollouts), []);
      return KEYS.map((key) => metrics[key] ?? NaN);
    };
    const all = figures(lengths.map(() => 1));
    const SEEDS = everyProof ? 400 : 100;
    const shares = Array.from({ length: SEEDS }, (_, seed) =>
      figures(referenceWeights(lengths, 0.25, drawsFor(3, seed))),
    );
    KEYS.forEach((_, k) => {
      const values = shares.map((share) => share[k] ?? NaN);
      const mean = values.reduce((sum, value) => sum + value, 0) / SEEDS;
      const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (SEEDS - 1);
      expect(variance).toBeGreaterThan(0);
      expect(Math.abs(mean - (all[k] ?? NaN))).toBeLessThan(4 * Math.sqrt(variance / SEEDS));
    });
  });
});
