/** The curves of other runs beside the current one: a line for a run, the mean over its seeds with its 95 % interval for a group. */
import { mean } from '../../base/statistics.ts';
import { seedInterval95 } from '../../rl/diagnosis/compareRuns.ts';
import type { StepMetrics } from '../../rl/metrics/index.ts';
import type { Series, SeriesPoint } from '../charts/rows.ts';
import type { Arm } from './compareStore.ts';

/** Series that each arm takes in a chart: mean, and both ends of its interval. */
export const SERIES_PER_ARM = 3;

/**
 * Mean, lower and upper end at the steps that every run of the arm has made; the ends are empty for a single run. `isShare`: of shares, which
 * an interval does not leave.
 */
export function armSeries(
  { records }: Pick<Arm, 'records'>,
  value: (step: StepMetrics) => number | null,
  { isShare = false } = {},
): readonly Series[] {
  const [first, ...others] = records.map(
    ({ metrics }) => new Map(metrics.map((step) => [step.step, value(step)])),
  );
  const centre: SeriesPoint[] = [];
  const low: SeriesPoint[] = [];
  const high: SeriesPoint[] = [];
  for (const [step, own] of first ?? []) {
    const values = [own, ...others.map((of) => of.get(step) ?? null)];
    const known = values.flatMap((each) => (each !== null && Number.isFinite(each) ? [each] : []));
    if (known.length < values.length) continue;
    centre.push({ step, value: mean(known) });
    const interval = seedInterval95(known);
    if (interval === null) continue;
    low.push({ step, value: isShare ? Math.max(0, interval.low) : interval.low });
    high.push({ step, value: isShare ? Math.min(1, interval.high) : interval.high });
  }
  return [centre, low, high].map((points) => ({ points, smooth: true }));
}
