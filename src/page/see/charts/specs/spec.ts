/** The description of a chart over the steps of a run. */
import type { RunConfig } from '@rl-playground/run/settings';
import type { EvalResult } from '@rl-playground/run/loop';
import type { MetricKey, StepMetrics } from '@rl-playground/run/metrics';
import { compact, percent } from '../../../ui/text/format.ts';

export interface Curve {
  readonly name: string;
  readonly colour: string;
  /** Returns the step's number for this curve, or null if the step has none. */
  readonly value: (step: StepMetrics) => number | null;
  /** The numbers of a curve that has one for each evaluation, in place of `value`. */
  readonly ofEvaluations?: (result: EvalResult) => number | null;
  /** The standard deviation of a mean, which is half the width of a band around it. */
  readonly spread?: (step: StepMetrics) => number | null;
  /** The value on held-out problems, drawn as diamonds. */
  readonly evaluation?: (result: EvalResult) => number | null;
  /** The value of greedy answers, drawn as a dashed line. */
  readonly greedy?: (result: EvalResult) => number | null;
}

/** A curve in the key of its chart, with its value at the latest step. */
export interface CurveNow {
  readonly name: string;
  readonly now: string;
}

/** The name of a metric, its names in logs, and its formula. */
export interface MetricText {
  readonly label: string;
  readonly names: readonly string[];
  readonly formula: string;
}

export interface Remark {
  /** A screen reader says this as soon as it changes. */
  readonly spoken: string;
  readonly text: string;
}

export interface ChartSpec {
  readonly id: string;
  readonly title: string;
  readonly unit: string;
  /** A sentence on how to read the chart. */
  readonly reading: string;
  readonly curves: readonly Curve[];
  /** The metrics of the chart, whose names and formulas are explained. */
  readonly metrics: readonly MetricKey[];
  /** Explanations of what it draws besides. */
  readonly more?: readonly MetricText[];
  /**
   * A `smoothed` chart is about one number, with its average and evaluations. A `stack` draws each curve on top of the one before. Others
   * draw lines.
   */
  readonly shape?: 'smoothed' | 'stack';
  /** A level that matters, with its name. */
  readonly level?: { readonly value: number; readonly label: string };
  /** The least range of the vertical axis. Null leaves an end to the data. */
  readonly range: readonly [number | null, number | null];
  /** The name of the horizontal axis and the words for a position on it, where the chart is not over the steps of a run. */
  readonly axis?: { readonly name: string; readonly at: (position: number) => string };
  readonly format: (value: number | null) => string;
  /** The shorter form for the axis. */
  readonly tick: (value: number) => string;
  /** A remark on the latest step. */
  readonly remark?: (metrics: readonly StepMetrics[], config: RunConfig | null) => Remark | null;
}

/** The charts of one subject, which are in a fold. */
export interface ChartGroup {
  readonly title: string;
  readonly note: string;
  readonly charts: readonly ChartSpec[];
  /** The charts that depend on the run. */
  readonly made?: (metrics: readonly StepMetrics[]) => readonly ChartSpec[];
}

/** True if the run has something to draw. Before its first step every chart explains itself. */
export function isDrawn({ curves }: ChartSpec, metrics: readonly StepMetrics[]): boolean {
  return (
    metrics.length === 0 || metrics.some((step) => curves.some(({ value }) => Number.isFinite(value(step))))
  );
}

export const COLOURS = {
  blue: 'var(--series-reward)',
  green: 'var(--series-accuracy)',
  orange: 'var(--series-format)',
  pink: 'var(--series-kl)',
  grey: 'var(--series-other)',
} as const;

const IN_TURN = [COLOURS.blue, COLOURS.orange, COLOURS.green, COLOURS.pink, COLOURS.grey] as const;

/** The colour of the nth curve, where colours have no meaning. */
export function colourAt(index: number): string {
  return IN_TURN[index % IN_TURN.length] ?? COLOURS.grey;
}

/** Curves of metrics with short names, in the usual order of colours. `unit` is the size of what the axis counts. */
export function curvesOf(
  names: Readonly<Partial<Record<MetricKey, string>>>,
  unit = 1,
): Pick<ChartSpec, 'curves' | 'metrics' | 'range' | 'format' | 'tick'> {
  const metrics = (Object.keys(names) as MetricKey[]).filter((key) => names[key] !== undefined);
  return {
    ...PLAIN,
    metrics,
    curves: metrics.map((key, index) => ({
      name: names[key] ?? key,
      colour: colourAt(index),
      value: ({ [key]: value }) => (value === null ? null : value / unit),
    })),
  };
}

/** A chart about one number, drawn with its moving average. */
export function aboutOne(
  value: Curve['value'],
  colour: string,
  besides: Pick<Curve, 'evaluation' | 'greedy'> = {},
): Pick<ChartSpec, 'curves' | 'shape'> {
  return { curves: [{ name: 'this step', colour, value, ...besides }], shape: 'smoothed' };
}

export const PLAIN = { range: [0, null], format: compact, tick: compact } as const;

export const SHARES = {
  range: [0, 1],
  format: (value: number | null) => percent(value),
  tick: (value: number) => percent(value, 0),
} as const;
