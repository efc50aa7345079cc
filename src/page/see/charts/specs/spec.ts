/** What a chart draws over the steps of a run, and how it is read. */
import type { RunConfig } from '@rl-playground/run/settings';
import type { EvalResult } from '@rl-playground/run/loop';
import type { MetricKey, StepMetrics } from '@rl-playground/run/metrics';
import { compact, percent } from '../../../ui/text/format.ts';
import type { ChartRow } from './rows.ts';

export interface Curve {
  readonly name: string;
  readonly colour: string;
  /** Null where the step has no such number. */
  readonly value: (step: StepMetrics) => number | null;
  /** Its standard deviation, where it is a mean that has one: half the width of a band. */
  readonly spread?: (step: StepMetrics) => number | null;
  /** Its value on held-out problems, drawn as diamonds. */
  readonly evaluation?: (result: EvalResult) => number | null;
  /** The same of the likeliest answers, drawn as a dashed line. */
  readonly greedy?: (result: EvalResult) => number | null;
}

/** A curve in the key of its chart. */
export interface CurveNow {
  readonly name: string;
  /** Its value at the latest step, in words. */
  readonly now: string;
}

/** What is said of a metric: its name here, its names in logs, how it is computed. */
export interface MetricText {
  readonly label: string;
  readonly names: readonly string[];
  readonly formula: string;
}

export interface TooltipText {
  readonly title: string;
  /** A name and its value, as they are written. */
  readonly lines: readonly (readonly [string, string])[];
}

export interface Remark {
  /** A screen reader says it as soon as it changes; the numbers of every step would be too many. */
  readonly spoken: string;
  readonly text: string;
}

export interface ChartSpec {
  readonly id: string;
  readonly title: string;
  readonly unit: string;
  /** One line on how to read it. */
  readonly reading: string;
  readonly curves: readonly Curve[];
  /** The metrics that it draws, for their names in the log and their formulas. */
  readonly metrics: readonly MetricKey[];
  /** The same for what it draws besides. */
  readonly more?: readonly MetricText[];
  /**
   * `smoothed`: what a chart is about, with its values and evaluations under the crosshair. `stack`: each curve on top of the one before.
   * Lines beside each other without it.
   */
  readonly shape?: 'smoothed' | 'stack';
  /** Whether it may be pinned; not where it is there for some runs alone. */
  readonly pinnable?: boolean;
  /** Whether bands of curves that have one are shown at first. */
  readonly band?: boolean;
  /** Drawn once this holds of a step; without it, once any curve has a value. */
  readonly worthwhile?: (step: StepMetrics) => boolean;
  /** A level that matters, with what it is. */
  readonly level?: { readonly value: number; readonly label: string };
  /** The least range of the vertical axis, which grows where the data do; null leaves that end to the data. `auto`: from 0 on. */
  readonly range: readonly [number | null, number | null] | 'auto';
  /** Whether the second curve has a scale of its own, on the right. */
  readonly twoScales?: boolean;
  /** What begins at step 0, where that is worth saying. */
  readonly start?: string;
  readonly format: (value: number | null) => string;
  /** Shorter form for the axis. */
  readonly tick: (value: number) => string;
  /** What is said of the values under the crosshair, instead of one line for each. */
  readonly tooltip?: (row: ChartRow) => TooltipText;
  /** What the latest step says, in words. */
  readonly remark?: (metrics: readonly StepMetrics[], config: RunConfig | null) => Remark | null;
}

/** The folds of the charts that explain why a run goes as it does. */
export const CHART_FOLDS = {
  rewards: { title: 'Rewards and groups', note: 'spread, mixed groups, variety' },
  policy: { title: 'Policy and lengths', note: 'entropy, KL to the reference, answer length' },
  offPolicy: { title: 'Sampler and trainer', note: 'KL with Tinker’s 0.01 line, age, clipping' },
  optimizer: { title: 'Optimizer', note: 'gradient norm, learning rate, loss' },
  time: { title: 'Time and memory', note: 'who is busy, stages, tokens, memory' },
} as const;

export type ChartFold = keyof typeof CHART_FOLDS;

/** The charts of one fold. */
export interface ChartGroup {
  readonly charts: readonly ChartSpec[];
  /** Charts that depend on what the run has. */
  readonly made?: (metrics: readonly StepMetrics[]) => readonly ChartSpec[];
}

/** The charts that stand open, whoever pins what. */
const MAIN_IDS: readonly string[] = ['reward', 'accuracy', 'format', 'kl'];

export function isMain(id: string): boolean {
  return MAIN_IDS.includes(id);
}

/** Whether the run has something that the chart would show; before its first step every chart says what it is for. */
export function isDrawn({ worthwhile, curves }: ChartSpec, metrics: readonly StepMetrics[]): boolean {
  const shown = worthwhile ?? ((step) => curves.some(({ value }) => Number.isFinite(value(step))));
  return metrics.length === 0 || metrics.some(shown);
}

export const COLOURS = {
  blue: 'var(--series-reward)',
  green: 'var(--series-accuracy)',
  orange: 'var(--series-format)',
  pink: 'var(--series-kl)',
  grey: 'var(--series-other)',
} as const;

const IN_TURN = [COLOURS.blue, COLOURS.orange, COLOURS.green, COLOURS.pink, COLOURS.grey] as const;

/** The colour of the curve at a place, where no colour has a meaning. */
export function colourAt(index: number): string {
  return IN_TURN[index % IN_TURN.length] ?? COLOURS.grey;
}

/** Curves of metrics under short names, one colour after the other. */
export function curvesOf(
  names: Readonly<Partial<Record<MetricKey, string>>>,
): Pick<ChartSpec, 'curves' | 'metrics'> {
  const metrics = (Object.keys(names) as MetricKey[]).filter((key) => names[key] !== undefined);
  return {
    metrics,
    curves: metrics.map((key, index) => ({
      name: names[key] ?? key,
      colour: colourAt(index),
      value: (step) => step[key],
    })),
  };
}

/** How numbers are written where nothing else is said. */
export const PLAIN = { range: [0, null], format: compact, tick: compact } as const;

/** How shares are written. */
export const SHARES = {
  range: [0, 1],
  format: (value: number | null) => percent(value),
  tick: (value: number) => percent(value, 0),
} as const;
