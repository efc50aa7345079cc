/** What lessons read out of the metrics of a run. */
import { mean, standardDeviation } from '@rl-playground/base/statistics';
import { pairedInterval95, type Interval } from '@rl-playground/base/intervals';
import { accuraciesOf } from '@rl-playground/run/loop';
import type { StepMetrics } from '@rl-playground/run/metrics';
import type { ArmRecord } from './lesson.ts';

/** Steps at either end that stand for how a run began and ended. */
export const END_STEPS = 5;

export type Value = (step: StepMetrics) => number | null;

/** The finite values of some steps. */
export function valuesOf(steps: readonly StepMetrics[], value: Value): number[] {
  return steps.flatMap((step) => {
    const found = value(step);
    return found !== null && Number.isFinite(found) ? [found] : [];
  });
}

/** NaN where no step has a value. */
export function meanOf(steps: readonly StepMetrics[], value: Value): number {
  const values = valuesOf(steps, value);
  return values.length === 0 ? NaN : mean(values);
}

export const first = ({ metrics }: ArmRecord, steps = END_STEPS): readonly StepMetrics[] =>
  metrics.slice(0, steps);
export const last = ({ metrics }: ArmRecord, steps = END_STEPS): readonly StepMetrics[] =>
  metrics.slice(-steps);

/** From the mean of the first steps to that of the last. */
export function riseOf(record: ArmRecord, value: Value): { readonly from: number; readonly to: number } {
  return { from: meanOf(first(record), value), to: meanOf(last(record), value) };
}

/**
 * The step from which on a value, averaged over it and the two around it, has made a share of its way from where the run began to where it ended;
 * null where it did not rise.
 */
export function stepOfShare(record: ArmRecord, value: Value, share: number): number | null {
  const { from, to } = riseOf(record, value);
  if (!(to > from)) return null;
  const { metrics } = record;
  const reached = metrics.findIndex(
    (_, i) => meanOf(metrics.slice(Math.max(0, i - 1), i + 2), value) >= from + share * (to - from),
  );
  return metrics[reached]?.step ?? null;
}

/** Share of right likeliest answers to held-out problems: before the first step and behind the last; null where it was not measured. */
export function greedyOf({ evaluations }: ArmRecord): { before: number | null; after: number | null } {
  const at = (index: number): number | null => {
    const found = evaluations.at(index);
    return found ? (accuraciesOf(found).greedy?.share ?? null) : null;
  };
  return { before: at(0), after: at(-1) };
}

/**
 * How much better the second run's likeliest answers are at the end, over the same problems; null where the two did not ask the same. The
 * interval is of these two runs alone: other seeds may come out otherwise.
 */
export function greedyDifference(
  one: ArmRecord,
  two: ArmRecord,
): { readonly difference: number; readonly interval: Interval } | null {
  const [a, b] = [one.evaluations.at(-1)?.samples ?? [], two.evaluations.at(-1)?.samples ?? []];
  if (a.length !== b.length || a.some(({ question }, i) => question !== b[i]?.question)) return null;
  const differences = a.map(
    (sample, i) => Number(b[i]?.greedy?.correct ?? false) - Number(sample.greedy?.correct ?? false),
  );
  const interval = pairedInterval95(differences);
  return interval && { difference: mean(differences), interval };
}

/**
 * The difference of two runs' means over their last steps, and whether it is more than twice its standard error, taking steps as independent.
 */
export function meansApart(
  one: ArmRecord,
  two: ArmRecord,
  value: Value,
  steps: number,
): { readonly difference: number; readonly surely: boolean } {
  const [a, b] = [valuesOf(last(one, steps), value), valuesOf(last(two, steps), value)];
  const difference = (b.length ? mean(b) : NaN) - (a.length ? mean(a) : NaN);
  const error = Math.sqrt(standardDeviation(a) ** 2 / a.length + standardDeviation(b) ** 2 / b.length);
  return { difference, surely: Math.abs(difference) > 2 * error };
}
