import { describe, expect, it } from 'vitest';
import { chartRows, outlineIndices, smoothed } from './series.ts';

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

describe('outlineIndices', () => {
  it('keeps everything below the limit', () => {
    expect(outlineIndices([5, 4, 3], 3)).toEqual([0, 1, 2]);
  });

  it('keeps the ends and each bucket’s extremes in order', () => {
    // Inner values 1…8 fall into two buckets: [3, 9, 1, 4] and [4, 4, 0, 7].
    expect(outlineIndices([0, 3, 9, 1, 4, 4, 4, 0, 7, 2], 6)).toEqual([0, 2, 3, 7, 8, 9]);
  });

  it('never exceeds the limit and keeps a lone spike', () => {
    const values = Array.from({ length: 10_000 }, (_, index) => (index === 6321 ? 50 : Math.sin(index)));
    const kept = outlineIndices(values, 500);
    expect(kept.length).toBeLessThanOrEqual(500);
    expect(kept).toContain(6321);
    expect(kept.at(-1)).toBe(9999);
  });
});

describe('chartRows', () => {
  it('merges steps and evaluations by step', () => {
    const rows = chartRows(
      [
        { step: 1, value: 0 },
        { step: 2, value: 1 },
      ],
      [
        { step: 0, value: 0.25 },
        { step: 2, value: 0.75 },
      ],
    );
    expect(rows.map((row) => row.step)).toEqual([0, 1, 2]);
    expect(rows[0]).toEqual({ step: 0, evaluation: 0.25 });
    expect(rows[2]?.raw).toBe(1);
    expect(rows[2]?.evaluation).toBe(0.75);
    // (0.8·0 + 1) / 1.8
    expect(rows[2]?.smooth).toBeCloseTo(1 / 1.8, 12);
  });

  it('leaves gaps for values that are not numbers', () => {
    const rows = chartRows([
      { step: 1, value: Number.NaN },
      { step: 2, value: 3 },
    ]);
    expect(rows).toEqual([{ step: 2, raw: 3, smooth: 3 }]);
  });
});
