/** The curves of other runs beside the current one: a line for a run, the mean over its seeds with its 95 % interval for a group. */
import type { StepMetrics } from '@rl-playground/run/metrics';
import { seedCurve } from '@rl-playground/run/session';
import type { Arm } from '../arms/chartsStore.ts';
import type { Series } from './specs/rows.ts';

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
  const { centre, low, high } = seedCurve(records, value, { isShare });
  return [centre, low, high].map((points) => ({ points, smooth: true }));
}
