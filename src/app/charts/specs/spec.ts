/** What a chart with one or several metrics draws, and how it is read. */
import type { RunConfig } from '../../../config/schema.ts';
import type { MetricKey, StepMetrics } from '../../../rl/metrics/index.ts';
import { compact } from '../../format/format.ts';
import type { MetricText } from '../metricText.ts';
import type { StepValue } from '../seriesRows.ts';

export interface Curve {
  readonly name: string;
  readonly colour: string;
  readonly value: StepValue;
}

export interface Remark {
  /** A screen reader says it as soon as it changes; the numbers of every step would be too many. */
  readonly spoken: string;
  readonly text: string;
}

export interface SeriesChart {
  readonly id: string;
  readonly title: string;
  readonly unit: string;
  readonly reading: string;
  readonly curves: readonly Curve[];
  /** The metrics that it draws, for their names in the log and their formulas. */
  readonly metrics: readonly MetricKey[];
  /** The same for what it draws besides. */
  readonly more?: readonly MetricText[];
  /** `stack`: each curve on top of the one before. `band`: the first curve with the second as its half width. */
  readonly shape?: 'stack' | 'band';
  /** Drawn once this holds of a step; without it, once any curve has a value. */
  readonly worthwhile?: (step: StepMetrics) => boolean;
  /** A level that matters, with what it is. */
  readonly level?: { readonly value: number; readonly label: string };
  /** The least range of the vertical axis; null leaves that end to the data. */
  readonly range: readonly [number | null, number | null];
  readonly format: (value: number | null) => string;
  readonly tick: (value: number) => string;
  /** What the latest step says, in words. */
  readonly remark?: (metrics: readonly StepMetrics[], config: RunConfig | null) => Remark | null;
}

/** The charts of one fold. */
export interface ChartGroup {
  readonly charts: readonly SeriesChart[];
  /** Charts that depend on what the run has. */
  readonly made?: (metrics: readonly StepMetrics[]) => readonly SeriesChart[];
}

/** Whether the run has something that the chart would show; before its first step every chart says what it is for. */
export function isDrawn({ worthwhile, curves }: SeriesChart, metrics: readonly StepMetrics[]): boolean {
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

/** The colour of the curve at a place, where it has no meaning of its own. */
export function colourAt(index: number): string {
  return IN_TURN[index % IN_TURN.length] ?? COLOURS.grey;
}

/** Curves of metrics under short names, one colour after the other. */
export function curvesOf(
  names: Readonly<Partial<Record<MetricKey, string>>>,
): Pick<SeriesChart, 'curves' | 'metrics'> {
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
