import { describe, expect, it } from 'vitest';
import { chartRows, outlineIndices, type Series, type SeriesPoint } from './rows.ts';

/** Points at steps 1, 2, 3… */
function pointsOf(values: readonly (number | null)[]): SeriesPoint[] {
  return values.map((value, i) => ({ step: i + 1, value }));
}

describe('a curve by the strength of its smoothing', () => {
  const at = (beta: number) =>
    chartRows([{ points: pointsOf([1, 3, 5]), smooth: true }], { beta }).map(({ curves }) => curves[0]);

  it('is as it was measured at 0', () => {
    expect(at(0)).toEqual([{ value: 1 }, { value: 3 }, { value: 5 }]);
  });

  it('keeps what was measured beside its moving average', () => {
    // β = 0.5, worked out above; β = 0.9: (0.9·1 + 3) / 1.9, (0.81·1 + 0.9·3 + 5) / 2.71
    expect(at(0.5).map((point) => point?.smooth)).toEqual([1, 7 / 3, 6.75 / 1.75]);
    const strong = at(0.9);
    expect(strong.map((point) => point?.value)).toEqual([1, 3, 5]);
    expect(strong[1]?.smooth).toBeCloseTo(3.9 / 1.9, 12);
    expect(strong[2]?.smooth).toBeCloseTo(8.51 / 2.71, 12);
  });

  it('has its band around what is drawn strongly', () => {
    const bands = [
      [0.5, 1.5],
      [2, 4],
    ] as const;
    const series = [{ points: pointsOf([1, 3]), smooth: true, bands }];
    expect(chartRows(series, { beta: 0 }).map(({ curves }) => curves[0]?.band)).toEqual(bands);
    // β = 0.5: mean 7/3; half of the band (0.25 + 1) / 1.5 = 5/6.
    const [low, high] = chartRows(series, { beta: 0.5 })[1]?.curves[0]?.band ?? [];
    expect(low).toBeCloseTo(1.5, 12);
    expect(high).toBeCloseTo(19 / 6, 12);
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

describe('the rows of one curve', () => {
  it('keeps the outline of a thousand evaluations: first, last, lowest and highest', () => {
    const evaluations = Array.from({ length: 1000 }, (_, step) => ({
      step,
      value: step === 421 ? 0.9 : step === 733 ? 0.1 : 0.5,
    }));
    const drawnOf = (key: 'evaluation' | 'greedy', series: Series) =>
      chartRows([series]).flatMap(({ step, curves: [curve] }) => {
        const value = curve?.[key];
        return value === undefined ? [] : [[step, value]];
      });
    for (const drawn of [
      drawnOf('evaluation', { points: [], evaluations }),
      drawnOf('greedy', { points: [], greedy: evaluations }),
    ]) {
      expect(drawn.length).toBeLessThanOrEqual(24);
      expect(drawn).toEqual(
        expect.arrayContaining([
          [0, 0.5],
          [421, 0.9],
          [733, 0.1],
          [999, 0.5],
        ]),
      );
    }
  });

  it('merges steps and evaluations by step', () => {
    const evaluations = [
      { step: 0, value: 0.25 },
      { step: 2, value: 0.75 },
    ];
    const rows = chartRows([{ points: pointsOf([0, 1]), smooth: true, evaluations }]);
    expect(rows.map((row) => row.step)).toEqual([0, 1, 2]);
    expect(rows[0]).toEqual({ step: 0, curves: [{ evaluation: 0.25 }] });
    expect(rows[2]?.curves[0]?.value).toBe(1);
    expect(rows[2]?.curves[0]?.evaluation).toBe(0.75);
    // (0.8·0 + 1) / 1.8
    expect(rows[2]?.curves[0]?.smooth).toBeCloseTo(1 / 1.8, 12);
  });

  it('leaves gaps for values that are not numbers', () => {
    const rows = chartRows([{ points: pointsOf([Number.NaN, 3]), smooth: true }]);
    expect(rows).toEqual([{ step: 2, curves: [{ value: 3, smooth: 3 }] }]);
  });
});

describe('the rows of several curves', () => {
  it('has the values of all curves side by side, and nothing where one is missing', () => {
    expect(chartRows([{ points: pointsOf([0.5, null]) }, { points: pointsOf([1, 2]) }])).toEqual([
      { step: 1, curves: [{ value: 0.5 }, { value: 1 }] },
      { step: 2, curves: [{}, { value: 2 }] },
    ]);
  });

  it('leaves out steps without any value', () => {
    expect(chartRows([{ points: pointsOf([null, 3, Infinity]) }])).toEqual([
      { step: 2, curves: [{ value: 3 }] },
    ]);
  });

  it('keeps the peaks of every curve of a long run', () => {
    const losses = Array.from({ length: 5000 }, (_, i) => (i === 1234 ? 9 : i === 4321 ? -9 : Math.sin(i)));
    const rows = chartRows([{ points: pointsOf(losses) }, { points: pointsOf(losses.map((x) => -x)) }], {
      limit: 200,
    });
    expect(rows.length).toBeLessThanOrEqual(200);
    expect(rows.map(({ step }) => step)).toEqual(expect.arrayContaining([1, 1235, 4322, 5000]));
  });
});

describe('the rows of curves at other positions', () => {
  it('have each curve where it was measured, smoothed on its own', () => {
    const rows = chartRows([
      { points: pointsOf([4, 2, 1]).map(({ step, value }) => ({ step: step - 4, value })), smooth: true },
      { points: pointsOf([0.5, -0.5]), smooth: true },
    ]);
    expect(rows.map(({ step }) => step)).toEqual([-3, -2, -1, 1, 2]);
    expect(rows.map(({ curves }) => curves[0]?.value)).toEqual([4, 2, 1, undefined, undefined]);
    expect(rows.map(({ curves }) => curves[1]?.value)).toEqual([undefined, undefined, undefined, 0.5, -0.5]);
    // (0.8·4 + 2) / 1.8; the other curve begins anew.
    expect(rows[1]?.curves[0]?.smooth).toBeCloseTo(5.2 / 1.8, 12);
    expect(rows[3]?.curves[1]?.smooth).toBe(0.5);
  });

  it('are none without a value', () => {
    expect(chartRows([{ points: [] }, { points: [] }])).toEqual([]);
  });
});
