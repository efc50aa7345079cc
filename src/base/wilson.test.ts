import { describe, expect, it } from 'vitest';
import { wilson95 } from './wilson.ts';

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
