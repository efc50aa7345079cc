import { describe, expect, test } from 'vitest';
import {
  baselineAdvantages,
  fractionMixed,
  groupAdvantages,
  standardDeviation,
  updatedBaseline,
} from './advantages.ts';

const rounded = (advantages: readonly (readonly number[])[]): number[][] =>
  advantages.map((row) => row.map((value) => Math.round(1e7 * value) / 1e7));

describe('standardDeviation', () => {
  test('divides by n − 1: of 2, 4, 4, 4, 5, 5, 7, 9 it is √(32/7)', () => {
    expect(standardDeviation([2, 4, 4, 4, 5, 5, 7, 9])).toBeCloseTo(Math.sqrt(32 / 7), 12);
  });

  test('is 0 for one value and for equal values', () => {
    expect(standardDeviation([3])).toBe(0);
    expect(standardDeviation([-1, -1, -1])).toBe(0);
  });
});

describe('groupAdvantages', () => {
  test('centres each group on its own mean', () => {
    expect(
      rounded(
        groupAdvantages(
          [
            [1, 1, -0.1, -0.1],
            [1, 0.9, 0, -0.1],
            [-0.1, 0, -0.1, -0.1],
          ],
          false,
        ),
      ),
    ).toEqual([
      [0.55, 0.55, -0.55, -0.55],
      [0.55, 0.45, -0.45, -0.55],
      [-0.025, 0.075, -0.025, -0.025],
    ]);
  });

  test('divides by σ + 1e-4 as TRL does', () => {
    expect(
      rounded(
        groupAdvantages(
          [
            [1, 0, 0, 1],
            [2, 1.25, 0.25, 1],
          ],
          true,
        ),
      ),
    ).toEqual([
      [0.8658754, -0.8658754, -0.8658754, 0.8658754],
      [1.2122676, 0.1731811, -1.2122676, -0.1731811],
    ]);
  });

  test('is exactly 0 in a group of equal rewards, with and without the division', () => {
    expect(groupAdvantages([[-1, -1, -1]], true)).toEqual([[0, 0, 0]]);
    expect(groupAdvantages([[1, 1, 1, 1, 1, 1, 1, 1]], false)).toEqual([[0, 0, 0, 0, 0, 0, 0, 0]]);
  });
});

describe('baselines', () => {
  test('subtract one number from every reward', () => {
    expect(baselineAdvantages([[1, -1], [0]], 0.5)).toEqual([[0.5, -1.5], [-0.5]]);
  });

  test('move by the share that is not kept: 0.9 · 0.5 + 0.1 · mean(1, −1) = 0.45', () => {
    expect(updatedBaseline(0.5, [[1], [-1]], 0.9)).toBeCloseTo(0.45, 12);
    expect(
      updatedBaseline(
        0.5,
        [
          [1, 1],
          [1, -1],
        ],
        0.9,
      ),
    ).toBeCloseTo(0.5, 12);
    expect(updatedBaseline(0.5, [[1]], 0)).toBe(1);
  });
});

describe('fractionMixed', () => {
  test('counts groups whose rewards differ', () => {
    expect(
      fractionMixed([
        [1, 1],
        [1, -1],
        [-1, -1],
        [-0.1, 0],
      ]),
    ).toBe(0.5);
    expect(fractionMixed([[1], [-1]])).toBe(0);
  });
});
