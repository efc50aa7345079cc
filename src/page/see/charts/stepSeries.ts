/** From a run, and others beside it, to the series of a chart over the steps. */
import type { EvalResult } from '@rl-playground/run/loop';
import type { StepMetrics } from '@rl-playground/run/metrics';
import type { Arm } from '../arms/chartsStore.ts';
import { armSeries, SERIES_PER_ARM } from './armSeries.ts';
import { stepPosition, type SftSpan } from './axes.ts';
import type { Overlay } from './overlay.ts';
import type { Series, SeriesPoint } from './specs/rows.ts';
import { SHARES, type ChartSpec } from './specs/spec.ts';

interface RunValues {
  readonly metrics: readonly StepMetrics[];
  readonly evaluations: readonly EvalResult[];
}

/** The curves of the current run. `band`: with their standard deviations. */
export function ownSeries(
  { curves, shape }: ChartSpec,
  { metrics, evaluations }: RunValues,
  span: SftSpan,
  band: boolean,
): readonly Series[] {
  const measured = (value: ((result: EvalResult) => number | null) | undefined): SeriesPoint[] =>
    value === undefined
      ? []
      : evaluations.map((each) => ({ step: stepPosition(each.step, span), value: value(each) }));
  return curves.map(({ value, spread, evaluation, greedy }) => ({
    smooth: shape !== 'stack',
    points: metrics.map((step) => ({ step: step.step, value: value(step) })),
    ...(band && spread !== undefined ? { spread: metrics.map(spread) } : {}),
    evaluations: measured(evaluation),
    greedy: measured(greedy),
  }));
}

/** The curves of other runs, all of an arm before those of the next; in a stack as the borders of its layers. */
export function otherSeries({ curves, shape, format }: ChartSpec, arms: readonly Arm[]): readonly Series[] {
  const isShare = format === SHARES.format;
  return arms.flatMap((arm) =>
    curves.flatMap(({ value }, index) => {
      if (shape !== 'stack') return armSeries(arm, value, { isShare });
      const below = curves.slice(0, index + 1);
      const border = (step: StepMetrics): number | null =>
        below.reduce<number | null>((sum, each) => {
          const layer = each.value(step);
          return sum === null || layer === null ? null : sum + layer;
        }, 0);
      return armSeries(arm, border, { isShare }).map((series) => ({ ...series, smooth: false }));
    }),
  );
}

/** Where each arm stands among the series of the rows, behind the chart's own. */
export function overlaysOf(
  { curves }: ChartSpec,
  arms: readonly Arm[],
  pinned: string | null,
): readonly Overlay[] {
  return arms.map(({ id, name, colour, plays }, i) => ({
    name,
    colour,
    pinned: id === pinned,
    index: curves.length * (1 + i * SERIES_PER_ARM),
    ...(plays !== undefined && { plays }),
  }));
}
