/** Numbers that lessons read from the metrics of a run, and charts of them. */
import { mean, standardDeviation } from '@rl-playground/base/statistics';
import { pairedInterval95, type Interval } from '@rl-playground/base/intervals';
import { accuraciesOf } from '@rl-playground/run/loop';
import type { MetricKey, StepMetrics } from '@rl-playground/run/metrics';
import { COLOURS } from '../../../see/charts/specs/spec.ts';
import { percent } from '../../../ui/text/format.ts';
import type { ArmRecord, Finding, Lesson, LessonChart } from './lesson.ts';

/** The mean of this many steps tells how a run began or ended. */
const END_STEPS = 5;

export type Value = (step: StepMetrics) => number | null;

export const accuracy: Value = (step) => step.accuracy;
export const clipped: Value = (step) => step.clipRegion;
/** The share of groups in which all answers earned the same. */
export const dead: Value = ({ fracMixed }) => (fracMixed === null ? null : 1 - fracMixed);

/** Metrics that have a colour of their own everywhere on the page. */
const COLOUR_OF: Readonly<Partial<Record<MetricKey, string>>> = {
  reward: COLOURS.blue,
  accuracy: COLOURS.green,
  format: COLOURS.orange,
  kl: COLOURS.pink,
};

type ChartWords = Pick<LessonChart, 'title' | 'unit'> & Partial<Pick<LessonChart, 'shown'>>;

/** A chart of one value. */
export function chartOf(
  metric: MetricKey,
  name: string,
  value: Value,
  { title, unit, shown = 'share' }: ChartWords,
): LessonChart {
  const colour = COLOUR_OF[metric] ?? COLOURS.grey;
  return { title, unit, metrics: [metric], curves: [{ name, colour, value }], shown };
}

export const ACCURACY_CHART = chartOf('accuracy', 'accuracy', accuracy, {
  title: 'Accuracy',
  unit: 'share of sampled answers',
});

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

/** The means of the first and of the last steps. */
export function riseOf(record: ArmRecord, value: Value): { readonly from: number; readonly to: number } {
  return { from: meanOf(first(record), value), to: meanOf(last(record), value) };
}

/**
 * The first step at which a value, averaged over three steps, has covered a share of the way from the beginning of the run to its end; null if
 * the value did not rise.
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

/** The greedy accuracy on held-out problems, before and after the run; null if not measured. */
export function greedyOf({ evaluations }: ArmRecord): { before: number | null; after: number | null } {
  const at = (index: number): number | null => {
    const found = evaluations.at(index);
    return found ? (accuraciesOf(found).greedy?.share ?? null) : null;
  };
  return { before: at(0), after: at(-1) };
}

/** The greedy accuracy before and after each run, in a row of the table. */
export function greedyRow(records: readonly ArmRecord[]): Finding['rows'][number] {
  const values = records.map((record) => {
    const { before, after } = greedyOf(record);
    return `${percent(before, 0)} → ${percent(after, 0)}`;
  });
  return { what: 'Greedy accuracy on held-out problems, before and after', values };
}

/** A sentence for each run that ended under an alarm. */
export function alarmLines({ arms }: Pick<Lesson, 'arms'>, records: readonly ArmRecord[]): string[] {
  return records.flatMap((record, i) => {
    if (record.alarm === null) return [];
    const { before, after } = greedyOf(record);
    const run = arms.length > 1 ? `The run “${arms[i]?.name ?? ''}”` : 'The run';
    return [
      `${run} ended with the alarm “${record.alarm}”. Its greedy accuracy on held-out problems went from ${percent(before, 0)} to ${percent(after, 0)}.`,
    ];
  });
}

/**
 * The gain of the second run's greedy accuracy over the first run's; null if the two were not asked the same problems. The interval is for
 * these two runs only, because other seeds may give another result.
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

/** The difference between two runs' means over their last steps. It is `surely` one if it exceeds twice its standard error, with steps taken as independent. */
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
