import { describe, expect, it } from 'vitest';
import { meanInterval95, pairedInterval95, wilson95 } from './intervals.ts';

describe('wilson95', () => {
  it('agrees with the interval worked out by hand for 50 of 100', () => {
    // z² = 3.84146; half = 1.95996 / 1.0384146 · √(0.0025 + 3.84146 / 40000) = 0.09617
    const interval = wilson95(0.5, 100);
    expect(interval?.low).toBeCloseTo(0.40383, 5);
    expect(interval?.high).toBeCloseTo(0.59617, 5);
    expect(interval?.half).toBeCloseTo(0.09617, 5);
  });

  it('is one-sided at the ends', () => {
    // At p = 0 the upper end is z² / (n + z²) = 3.84146 / 13.84146.
    expect(wilson95(0, 10)?.low).toBeCloseTo(0, 12);
    expect(wilson95(0, 10)?.high).toBeCloseTo(0.27753, 5);
    expect(wilson95(1, 10)?.low).toBeCloseTo(0.72247, 5);
    expect(wilson95(1, 10)?.high).toBeCloseTo(1, 12);
  });

  it('has nothing to say without trials', () => {
    expect(wilson95(0.5, 0)).toBeNull();
    expect(wilson95(Number.NaN, 10)).toBeNull();
  });
});

describe('meanInterval95', () => {
  it('of zeros and ones is Wilson’s', () => {
    const values = Array.from({ length: 40 }, (_, i) => (i < 13 ? 1 : 0));
    const [found, wilson] = [meanInterval95(values), wilson95(13 / 40, 40)];
    expect(found?.low).toBeCloseTo(wilson?.low ?? NaN, 10);
    expect(found?.high).toBeCloseTo(wilson?.high ?? NaN, 10);
  });

  it('is as narrow as the values lie together', () => {
    // Mean 0.5, variance 1/16: (100 · 1/4) / (1/16) = 400 trials.
    const values = Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? 0.25 : 0.75));
    expect(meanInterval95(values)?.half).toBeCloseTo(wilson95(0.5, 400)?.half ?? NaN, 12);
  });

  it('is not sure of what never varied', () => {
    expect(meanInterval95([1, 1, 1, 1, 1, 1, 1, 1, 1, 1])?.low).toBeCloseTo(0.72247, 5);
    expect(meanInterval95([])).toBeNull();
  });
});

describe('pairedInterval95', () => {
  // As in a 2 x 2 table with 1/2 added to each cell: (b + c + 1 − (b − c)²/N) / N² under the root, N = n + 2.
  it('agrees with Agresti and Min’s for 8 problems gained, 2 lost, 90 unchanged', () => {
    const differences = [
      ...Array<number>(8).fill(1),
      ...Array<number>(2).fill(-1),
      ...Array<number>(90).fill(0),
    ];
    const half = (1.959964 * Math.sqrt(11 - 36 / 102)) / 102;
    const found = pairedInterval95(differences);
    expect(found?.half).toBeCloseTo(half, 12);
    expect(found?.low).toBeCloseTo(6 / 102 - half, 12);
    expect(found?.high).toBeCloseTo(6 / 102 + half, 12);
  });

  it.each([
    // The exact test of matched pairs (binomial, two-sided): 4 of 4 has p = 0.125, 6 of 6 has p = 0.031.
    [4, false],
    [6, true],
  ])('%i problems gained of 200 and none lost: surely a rise is %s', (gained, sure) => {
    const differences = Array.from({ length: 200 }, (_, i) => (i < gained ? 1 : 0));
    expect((pairedInterval95(differences)?.low ?? NaN) > 0).toBe(sure);
  });

  it('has nothing to say without problems', () => {
    expect(pairedInterval95([])).toBeNull();
  });
});
