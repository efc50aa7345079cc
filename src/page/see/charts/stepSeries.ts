/** The series of a chart over the steps, of the current run and of others beside it. */
import type { EvalResult } from '@rl-playground/run/loop';
import type { StepMetrics } from '@rl-playground/run/metrics';
import { seedCurve } from '@rl-playground/run/session';
import type { Arm } from '../arms/chartsStore.ts';
import { stepPosition, type SftSpan } from './axes.ts';
import type { Series, SeriesPoint } from './specs/rows.ts';
import { SHARES, type ChartSpec } from './specs/spec.ts';

/** Another run, or several seeds, drawn beside the current one. */
export interface Overlay {
  readonly name: string;
  readonly colour: string;
  /** True for the arm that others are compared with. */
  readonly pinned: boolean;
  /** The index of its first curve among the series of the rows. */
  readonly index: number;
}

/** The dashes of each curve of other runs: their colour says which run it is, the dashes say which curve. */
export const DASHES = ['', '6 3', '2 3', '9 3 2 3', '1 4'] as const;

/** The mean at the steps that every run of the arm has made, with its interval as a band if there are several. `isShare`: the interval stays between 0 and 1. */
export function armSeries(
  { records }: Pick<Arm, 'records'>,
  value: (step: StepMetrics) => number | null,
  { isShare = false } = {},
): Series {
  const { centre, low, high } = seedCurve(records, value, { isShare });
  const bands = low.map((end, i) => [end.value ?? NaN, high[i]?.value ?? NaN] as const);
  return { points: centre, smooth: true, ...(bands.length > 0 && { bands }) };
}

const around = (value: number, spread: number) => [value - spread, value + spread] as const;

interface RunValues {
  readonly metrics: readonly StepMetrics[];
  readonly evaluations: readonly EvalResult[];
}

/** The series of the current run. */
export function ownSeries(
  { curves, shape }: ChartSpec,
  { metrics, evaluations }: RunValues,
  span: SftSpan,
): readonly Series[] {
  const measured = (value: ((result: EvalResult) => number | null) | undefined): SeriesPoint[] =>
    value === undefined
      ? []
      : evaluations.map((each) => ({ step: stepPosition(each.step, span), value: value(each) }));
  return curves.map(({ value, ofEvaluations, spread, evaluation, greedy }) => ({
    smooth: shape !== 'stack' && ofEvaluations === undefined,
    points: ofEvaluations
      ? measured(ofEvaluations)
      : metrics.map((step) => ({ step: step.step, value: value(step) })),
    ...(spread && { bands: metrics.map((step) => around(value(step) ?? NaN, spread(step) ?? 0)) }),
    evaluations: measured(evaluation),
    greedy: measured(greedy),
  }));
}

/** The series of other runs, arm by arm. In a stack they are the borders of its layers. */
export function otherSeries({ curves, shape, format }: ChartSpec, arms: readonly Arm[]): readonly Series[] {
  const isShare = format === SHARES.format;
  return arms.flatMap((arm) =>
    curves.map(({ value }, index) => {
      if (shape !== 'stack') return armSeries(arm, value, { isShare });
      const below = curves.slice(0, index + 1);
      const border = (step: StepMetrics): number | null =>
        below.reduce<number | null>((sum, each) => {
          const layer = each.value(step);
          return sum === null || layer === null ? null : sum + layer;
        }, 0);
      return { ...armSeries(arm, border, { isShare }), smooth: false };
    }),
  );
}

/** The place of each arm among the series of the rows, which follow those of the current run. */
export function overlaysOf(
  { curves }: ChartSpec,
  arms: readonly Arm[],
  pinned: string | null,
): readonly Overlay[] {
  return arms.map(({ id, name, colour }, i) => ({
    name,
    colour,
    pinned: id === pinned,
    index: curves.length * (1 + i),
  }));
}
