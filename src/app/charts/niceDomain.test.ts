import { describe, expect, it } from 'vitest';
import { niceDomain } from './niceDomain.ts';

describe('niceDomain', () => {
  it.each([
    [0, 1, 0, 1],
    [-0.5, 1, -0.5, 1],
    // Quarters would take five parts.
    [-0.1, 0.9, -0.5, 1],
    [0, 31_873, 0, 40_000],
    [-1.31, 0.83, -2, 1],
    [0, 0.000_299, 0, 0.0003],
    // In floating point 0.3 / 0.05 is less than 6.
    [0.3, 0.5, 0.3, 0.5],
    [-0.002, 0.01, -0.005, 0.01],
    [48, 52, 48, 52],
  ])('takes %f to %f from %f to %f', (low, high, bottom, top) => {
    const found = niceDomain(low, high);
    expect(found[0]).toBeCloseTo(bottom, 12);
    expect(found[1]).toBeCloseTo(top, 12);
  });

  it('gives values that are all the same an axis from 0', () => {
    expect(niceDomain(0, 0)).toEqual([0, 0.01]);
    expect(niceDomain(0.583, 0.583)).toEqual([0, 0.6]);
    expect(niceDomain(-2, -2)).toEqual([-2, 0]);
  });

  it('has an axis where there are no values', () => {
    expect(niceDomain(Infinity, -Infinity)).toEqual([0, 0.01]);
  });
});
