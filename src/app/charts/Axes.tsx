/** What stands at the axes of a chart: the steps below it, values beside it, and a line across at each of them. */
import type { ReactNode } from 'react';
import { count } from '../format/format.ts';
import { TICK } from './axes.ts';
import { pixel, type Plot, type Scale } from './scales.ts';

/** Pixels from the plot to a label. */
const GAP = 8;
/** From the upper edge of a label, and from its middle, to the line that it stands on. */
export const FROM_TOP = '0.71em';
const FROM_MIDDLE = '0.355em';

interface StepMarksProps {
  readonly plot: Plot;
  readonly steps: readonly number[];
  readonly format?: (step: number) => string;
}

const stepText = (step: number): string => (step === 0 ? 'step 0' : count(step));

/** The line below the plot, and the steps that are marked on it. */
export function StepMarks({ plot, steps, format = stepText }: StepMarksProps): ReactNode {
  const bottom = plot.y + plot.height;
  return (
    <g data-axis="steps" textAnchor="middle" {...TICK}>
      <path
        d={`M${pixel(plot.x)} ${pixel(bottom)}h${pixel(plot.width)}`}
        fill="none"
        stroke="var(--line-strong)"
      />
      {steps.map((step) => (
        <text key={step} x={plot.step(step)} y={bottom + GAP} dy={FROM_TOP}>
          {format(step)}
        </text>
      ))}
    </g>
  );
}

interface ValueMarksProps {
  readonly plot: Plot;
  readonly scale: Scale;
  readonly values: readonly number[];
  readonly format: (value: number) => string;
  /** Of the axis on the right. */
  readonly second?: boolean;
}

export function ValueMarks({ plot, scale, values, format, second = false }: ValueMarksProps): ReactNode {
  const x = second ? plot.x + plot.width + GAP : plot.x - GAP;
  return (
    <g data-axis={second ? 'second' : 'values'} textAnchor={second ? 'start' : 'end'} {...TICK}>
      {values.map((value) => (
        <text key={value} x={x} y={scale(value)} dy={FROM_MIDDLE}>
          {format(value)}
        </text>
      ))}
    </g>
  );
}

interface GridLinesProps {
  readonly plot: Plot;
  readonly values: readonly number[];
}

/** A line across the chart at each of some values of its left axis. */
export function GridLines({ plot, values }: GridLinesProps): ReactNode {
  const lines = values.map((value) => `M${pixel(plot.x)} ${pixel(plot.left(value))}h${pixel(plot.width)}`);
  return <path d={lines.join('')} fill="none" stroke="var(--line)" strokeDasharray="2 4" />;
}
