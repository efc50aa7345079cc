/** The state that a run goes back to after an alarm. */
import type { RunConfig } from '../../settings/schema/schema.ts';
import type { StepMetrics } from '../../metrics/metrics.ts';
import { stepVariance, type Measure } from './evidence.ts';

/** Standard errors of a difference within which one state counts as good as another. */
const SIGMAS = 2;

/**
 * The last of the states, named by their steps, that is not surely worse than the best of them. A state is measured by the answers of the
 * step behind it, which its weights wrote: by the share that is right, or where none ever is, by the mean reward. One that no step is behind
 * is not measured, and the first state is the answer where none is.
 */
export function lastSoundStep(
  states: readonly number[],
  metrics: readonly StepMetrics[],
  { rolloutsPerProblem }: Pick<RunConfig, 'rolloutsPerProblem'>,
): number {
  const inOrder = states.toSorted((a, b) => a - b);
  const behind = new Map(metrics.map((row) => [row.step - 1, row]));
  const rows = inOrder.flatMap((state) => behind.get(state) ?? []);
  const measure: Measure = rows.some(({ accuracy }) => accuracy > 0) ? 'accuracy' : 'reward';
  const variance = (row: StepMetrics): number => stepVariance(row, measure, rolloutsPerProblem);
  const best = rows.toSorted((a, b) => b[measure] - a[measure])[0];
  const sound = rows.findLast(
    (row) =>
      best !== undefined &&
      best[measure] - row[measure] <= SIGMAS * Math.sqrt(variance(best) + variance(row)),
  );
  return sound === undefined ? (inOrder[0] ?? 0) : sound.step - 1;
}
