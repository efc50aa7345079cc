import { describe, expect, it } from 'vitest';
import { drawsFor } from '@rl-playground/base/random';
import { everyProof } from '@rl-playground/base/testing/proofs';
import { constantChance, groupOutlook } from './groupOutlook.ts';

describe('the chance of a group without a signal', () => {
  it('is p^G + (1 − p)^G where problems are alike', () => {
    for (const p of [0.1, 0.5, 0.85])
      expect(constantChance([p, 1 - p], 1e9, 8)).toBeCloseTo(p ** 8 + (1 - p) ** 8, 6);
  });

  it('is that of the Beta-binomial where they are not', () => {
    // Beta(1, 1): p is uniform, and ∫ p^G + (1 − p)^G = 2 / (G + 1).
    for (const size of [2, 4, 16])
      expect(constantChance([0.5, 0.5], 2, size)).toBeCloseTo(2 / (size + 1), 12);
  });
});

/** Rewards of `answers` to each of `problems`, whose chances of 1 are drawn by `chance`. */
function simulated(problems: number, answers: number, chance: () => number, draw: () => number): number[][] {
  return Array.from({ length: problems }, () => {
    const p = chance();
    return Array.from({ length: answers }, () => Number(draw() < p));
  });
}

const mixedShare = (rewardsPG: readonly (readonly number[])[]): number =>
  rewardsPG.filter((rewards) => rewards.some((reward) => reward !== rewards[0])).length / rewardsPG.length;

it('covers the share of mixed groups of later steps, of problems alike and unlike, in nine of ten runs and more', () => {
  const kinds: readonly ((draw: () => number) => number)[] = [
    () => 0.5,
    () => 0.03,
    () => 0.97,
    (draw) => draw(),
    (draw) => (draw() < 0.5 ? 0.02 : 0.9),
    (draw) => draw() ** 3,
  ];
  let covered = 0;
  let error = 0;
  let runs = 0;
  for (const [k, kind] of kinds.entries())
    for (let run = 0; run < (everyProof ? 20 : 10); run++) {
      const draw = drawsFor(71, k, run);
      const size = run % 2 === 0 ? 8 : 16;
      const { mixed, interval } = groupOutlook(
        simulated(8, 8, () => kind(draw), draw),
        size,
        80,
      );
      const truth = mixedShare(simulated(80, size, () => kind(draw), draw));
      covered += Number(truth >= interval.low && truth <= interval.high);
      error += Math.abs(truth - mixed);
      runs++;
    }
  expect(covered / runs).toBeGreaterThanOrEqual(0.9);
  // Which 8 problems were met is most of it where half of them are never solved.
  expect(error / runs).toBeLessThanOrEqual(0.13);
});

it('knows more than two rewards: nearly all groups differ where steps are paid', () => {
  const draw = drawsFor(72);
  const rewards = Array.from({ length: 8 }, () =>
    Array.from({ length: 8 }, () => Math.floor(draw() * 7) / 7),
  );
  const { mixed, interval } = groupOutlook(rewards, 8, 80);
  expect(mixed).toBeGreaterThan(0.97);
  expect(interval.low).toBeGreaterThan(0.9);
});

it('leaves room where nothing but wrong answers was seen', () => {
  const wrong = Array.from({ length: 8 }, () => Array.from({ length: 8 }, () => 0));
  const { mixed, interval } = groupOutlook(wrong, 8, 80);
  expect(mixed).toBeLessThan(0.2);
  expect(interval.low).toBe(0);
  expect(interval.high).toBeGreaterThan(0.02);
});
