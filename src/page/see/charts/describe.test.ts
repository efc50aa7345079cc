import { describe, expect, it } from 'vitest';
import { curveInWords, factsOf } from './describe.ts';

const pointsOf = (...values: readonly (number | null)[]) =>
  values.map((value, i) => ({ step: i + 1, value }));

describe('a curve in words', () => {
  it('says ends, extremes and trend', () => {
    expect(curveInWords('mean', pointsOf(0.25, 0, 0.75, 1, 0.5), String)).toBe(
      'mean: from 0.25 at step 1 to 0.5 at step 5, rising; lowest 0 at step 2, highest 1 at step 4.',
    );
  });

  it('leaves gaps out, and is short for one value and for none', () => {
    expect(curveInWords('k1', pointsOf(null, 2, NaN), String)).toBe('k1: 2 at step 2.');
    expect(curveInWords('k1', pointsOf(null, Infinity), String)).toBe('k1: no values.');
  });
});

describe('a trend', () => {
  it('compares the means of the first and the last tenth with the range', () => {
    // Twenty values: ends are means of two. Range 20 (from −10 to 10).
    const values = (start: number, end: number) =>
      pointsOf(start, start, ...Array.from({ length: 16 }, (_, i) => (i % 2 === 0 ? 10 : -10)), end, end);
    expect(factsOf(values(0, 1.9))?.trend).toBe('level');
    expect(factsOf(values(0, 2.1))?.trend).toBe('rising');
    expect(factsOf(values(0, -2.1))?.trend).toBe('falling');
    expect(factsOf(pointsOf(3, 3, 3))?.trend).toBe('level');
  });
});
