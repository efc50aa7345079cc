import { describe, expect, it } from 'vitest';
import { niceDomain, stepTicks, ticksWithin } from './roundAxis.ts';

describe('stepTicks', () => {
  it.each([
    [60, [0, 20, 40, 60]],
    [1, [0, 1]],
    [4, [0, 1, 2, 3, 4]],
    [150, [0, 50, 100, 150]],
    [19, [0, 5, 10, 15]],
    [100_000, [0, 50_000, 100_000]],
  ])('of %i steps are round', (lastStep, ticks) => {
    expect(stepTicks(lastStep, 4)).toEqual(ticks);
  });
});

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

describe('ticksWithin', () => {
  it.each([
    [0, 1, [0, 0.25, 0.5, 0.75, 1]],
    [-0.5, 1, [-0.5, 0, 0.5, 1]],
    [0.3, 0.5, [0.3, 0.35, 0.4, 0.45, 0.5]],
    [0, 0.01, [0, 0.0025, 0.005, 0.0075, 0.01]],
  ])('marks %f to %f at both ends and between', (low, high, ticks) => {
    expect(ticksWithin([low, high])).toEqual(ticks);
  });
});
