/** From step records to the rows of a chart with several curves. */
import type { StepMetrics } from '../../rl/metrics/index.ts';
import { outlineIndices } from './series.ts';

/** Values of one step, in the order of the chart's curves; null leaves a gap. */
export interface SeriesRow {
  readonly step: number;
  readonly values: readonly (number | null)[];
}

export type StepValue = (step: StepMetrics) => number | null;

function finite(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null;
}

/**
 * A row for each step; of more than `limit` those that keep the outline of every curve. A step where no curve has a value is left out.
 */
export function seriesRows(
  metrics: readonly StepMetrics[],
  curves: readonly StepValue[],
  limit = 500,
): SeriesRow[] {
  const rows = metrics
    .map((step) => ({ step: step.step, values: curves.map((curve) => finite(curve(step))) }))
    .filter(({ values }) => values.some((value) => value !== null));
  const each = Math.max(4, Math.floor(limit / Math.max(1, curves.length)));
  const kept = new Set(
    curves.flatMap((_, c) =>
      outlineIndices(
        rows.map(({ values }) => values[c] ?? 0),
        each,
      ),
    ),
  );
  return rows.filter((_, index) => kept.has(index));
}
