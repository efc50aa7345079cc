import { describe, expect, it } from 'vitest';
import { metricsOf, type StepMetrics } from '../../rl/metrics/index.ts';
import { seriesRows } from './seriesRows.ts';

/** Steps whose loss is given, and whose reward is the number of the step. */
function stepsWith(losses: readonly (number | null)[]): StepMetrics[] {
  return losses.map((loss, i) =>
    metricsOf(i + 1, [], [], ({ key }) => (key === 'loss' ? loss : key === 'reward' ? i + 1 : 0)),
  );
}

describe('seriesRows', () => {
  it('has the values of all curves side by side, and null where one is missing', () => {
    const rows = seriesRows(stepsWith([0.5, null]), [({ loss }) => loss, ({ reward }) => reward]);
    expect(rows).toEqual([
      { step: 1, values: [0.5, 1] },
      { step: 2, values: [null, 2] },
    ]);
  });

  it('leaves out steps without any value', () => {
    expect(seriesRows(stepsWith([null, 3, Infinity]), [({ loss }) => loss])).toEqual([
      { step: 2, values: [3] },
    ]);
  });

  it('keeps the peaks of every curve of a long run', () => {
    const losses = Array.from({ length: 5000 }, (_, i) => (i === 1234 ? 9 : i === 4321 ? -9 : Math.sin(i)));
    const rows = seriesRows(stepsWith(losses), [({ loss }) => loss, ({ loss }) => -(loss ?? 0)], 200);
    expect(rows.length).toBeLessThanOrEqual(200);
    expect(rows.map(({ step }) => step)).toEqual(expect.arrayContaining([1, 1235, 4322, 5000]));
  });
});
