import { describe, expect, test } from 'vitest';
import { learningRateAt, type LearningRateSettings } from './learningRate.ts';

const rates = (schedule: LearningRateSettings): number[] =>
  Array.from({ length: schedule.totalSteps }, (_, i) => learningRateAt(i + 1, schedule));

describe('by hand', () => {
  test('constant without warm-up is the peak from the first step on', () => {
    expect(rates({ peak: 0.25, kind: 'constant', warmupSteps: 0, totalSteps: 3 })).toEqual([
      0.25, 0.25, 0.25,
    ]);
  });

  test('warms up in equal parts, none of them zero: 1/4, 2/4, 3/4 of the peak, then the peak', () => {
    expect(rates({ peak: 4, kind: 'constant', warmupSteps: 3, totalSteps: 6 })).toEqual([1, 2, 3, 4, 4, 4]);
  });

  test('falls linearly after the warm-up and would reach 0 one step after the last', () => {
    const schedule = { peak: 4, kind: 'linear', warmupSteps: 1, totalSteps: 5 } as const;
    expect(rates(schedule)).toEqual([2, 4, 3, 2, 1]);
    expect(learningRateAt(6, schedule)).toBe(0);
    expect(learningRateAt(99, schedule)).toBe(0);
  });

  test('falls along half a cosine: of 4 steps 1, (2 + √2) / 4, 1/2 and (2 − √2) / 4 of the peak', () => {
    const schedule = { peak: 2, kind: 'cosine', warmupSteps: 0, totalSteps: 4 } as const;
    const expected = [2, (2 + Math.SQRT2) / 2, 1, (2 - Math.SQRT2) / 2];
    rates(schedule).forEach((rate, i) => expect(rate).toBeCloseTo(expected[i] ?? NaN, 14));
    expect(learningRateAt(5, schedule)).toBe(0);
    expect(learningRateAt(99, schedule)).toBe(0);
  });

  test('a warm-up as long as the run still gives positive rates', () => {
    for (const kind of ['constant', 'linear', 'cosine'] as const)
      expect(rates({ peak: 3, kind, warmupSteps: 2, totalSteps: 2 })).toEqual([1, 2]);
  });

  test('a run of one step learns at the peak', () => {
    for (const kind of ['constant', 'linear', 'cosine'] as const)
      expect(rates({ peak: 3, kind, warmupSteps: 0, totalSteps: 1 })).toEqual([3]);
  });
});

/**
 * Hugging Face's lambdas, by the number of updates made before: after the warm-up 1, 1 − progress and ½ (1 + cos(π · progress)), with progress
 * = (updates − warm-up) / (total − warm-up). Their warm-up is updates / warm-up, which begins at 0.
 */
describe.each([
  [0, 10],
  [3, 10],
  [15, 150],
  [1, 2],
])('against the closed forms of Hugging Face’s schedulers, warm-up %i of %i', (warmupSteps, totalSteps) => {
  const peak = 3e-4;
  const forms: Record<LearningRateSettings['kind'], (progress: number) => number> = {
    constant: () => 1,
    linear: (progress) => 1 - progress,
    cosine: (progress) => Math.cos((Math.PI * progress) / 2) ** 2,
  };

  test.each(['constant', 'linear', 'cosine'] as const)('%s after the warm-up', (kind) => {
    for (let updates = warmupSteps; updates < totalSteps; updates++) {
      const progress = (updates - warmupSteps) / (totalSteps - warmupSteps);
      const found = learningRateAt(updates + 1, { peak, kind, warmupSteps, totalSteps });
      expect(found / peak).toBeCloseTo(forms[kind](progress), 12);
    }
  });

  test('rises by equal parts up to the peak and never rises again', () => {
    for (const kind of ['constant', 'linear', 'cosine'] as const) {
      const found = rates({ peak, kind, warmupSteps, totalSteps });
      expect(Math.max(...found)).toBe(found[warmupSteps]);
      expect(found[warmupSteps]).toBe(peak);
      found
        .slice(0, warmupSteps)
        .forEach((rate, i) => expect(rate / peak).toBeCloseTo((i + 1) / (warmupSteps + 1), 12));
      const after = found.slice(warmupSteps);
      expect(after).toEqual(after.toSorted((a, b) => b - a));
      expect(Math.min(...found)).toBeGreaterThan(0);
    }
  });
});
