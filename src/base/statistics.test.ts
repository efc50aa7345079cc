import { describe, expect, test } from 'vitest';
import { drawsFor } from './random.ts';
import { exactMean, greatest, least, mean, meanOrNull, standardDeviation } from './statistics.ts';

test('what there is of nothing', () => {
  expect([mean([]), exactMean([])]).toEqual([NaN, NaN]);
  expect([meanOrNull([]), least([]), greatest([])]).toEqual([null, null, null]);
});

test('means and extremes', () => {
  expect([mean([1, 2, 6]), meanOrNull([1, 2, 6]), exactMean([1, 2, 6])]).toEqual([3, 3, 3]);
  expect([least([2, 1, 6]), greatest([2, 6, 1])]).toEqual([1, 6]);
});

describe('standardDeviation', () => {
  test('divides by n − 1: of 2, 4, 4, 4, 5, 5, 7, 9 it is √(32/7)', () => {
    expect(standardDeviation([2, 4, 4, 4, 5, 5, 7, 9])).toBeCloseTo(Math.sqrt(32 / 7), 12);
  });

  test('is exactly 0 for one value and for equal values, those without a finite binary fraction too', () => {
    expect(standardDeviation([3])).toBe(0);
    expect(standardDeviation([-1, -1, -1])).toBe(0);
    expect(standardDeviation([0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1])).toBe(0);
  });

  test('agrees with Σ over pairs of (a − b)² / (2 n (n − 1))', () => {
    const draw = drawsFor(1);
    const kinds = [
      () => (draw() < 0.5 ? 1 : 0),
      () => 4 * draw() - 2,
      () => [1, 0.9, 0, -0.1][Math.floor(4 * draw())] ?? NaN,
      () => 0.1,
    ];
    for (const next of [...kinds, ...kinds, ...kinds, ...kinds, ...kinds, ...kinds]) {
      const n = 2 + Math.floor(8 * draw());
      const values = Array.from({ length: n }, next);
      const pairs = values.flatMap((a) => values.map((b) => (a - b) ** 2));
      const variance = pairs.reduce((sum, square) => sum + square, 0) / (2 * n * (n - 1));
      expect(standardDeviation(values)).toBeCloseTo(Math.sqrt(variance), 12);
    }
  });
});
