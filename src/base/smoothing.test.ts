import { describe, expect, it } from 'vitest';
import { smoothed } from './smoothing.ts';

describe('smoothed', () => {
  it('is the bias-corrected moving average', () => {
    // β = 0.5: 1; (0.5·1 + 3) / 1.5; (0.25·1 + 0.5·3 + 5) / 1.75
    const values = smoothed([1, 3, 5], 0.5);
    expect(values[0]).toBe(1);
    expect(values[1]).toBeCloseTo(7 / 3, 12);
    expect(values[2]).toBeCloseTo(6.75 / 1.75, 12);
  });

  it('leaves a constant series alone', () => {
    for (const value of smoothed([2, 2, 2, 2])) expect(value).toBeCloseTo(2, 12);
  });
});
