/**
 * What stands at the axes of a chart: the steps below it, values beside it, and a line across at each of them. Those of recharts measure
 * their labels, which has the page laid out and the chart drawn a second time.
 */
import type { ReactNode } from 'react';
import { usePlotArea } from 'recharts';
import { count } from '../format/format.ts';
import { TICK } from './axes.ts';
import { pixel, useScales } from './scales.ts';

/** Pixels from the plot to a label. */
const GAP = 8;
/** From the upper edge of a label, and from its middle, to the line that it stands on. */
const FROM_TOP = '0.71em';
const FROM_MIDDLE = '0.355em';

/** The line below the plot, and the steps that are marked on it. */
export function StepMarks({ steps }: { readonly steps: readonly number[] }): ReactNode {
  const scales = useScales(0);
  const area = usePlotArea();
  if (scales === null || area === undefined) return null;
  const bottom = area.y + area.height;
  return (
    <g data-axis="steps" textAnchor="middle" {...TICK}>
      <path
        d={`M${pixel(area.x)} ${pixel(bottom)}h${pixel(area.width)}`}
        fill="none"
        stroke="var(--line-strong)"
      />
      {steps.map((step) => (
        <text key={step} x={scales.x(step)} y={bottom + GAP} dy={FROM_TOP}>
          {step === 0 ? 'step 0' : count(step)}
        </text>
      ))}
    </g>
  );
}

interface ValueMarksProps {
  readonly values: readonly number[];
  readonly format: (value: number) => string;
  /** Of the axis on the right. */
  readonly second?: boolean;
}

export function ValueMarks({ values, format, second = false }: ValueMarksProps): ReactNode {
  const scales = useScales(second ? 'second' : 0);
  const area = usePlotArea();
  if (scales === null || area === undefined) return null;
  const x = second ? area.x + area.width + GAP : area.x - GAP;
  return (
    <g data-axis={second ? 'second' : 'values'} textAnchor={second ? 'start' : 'end'} {...TICK}>
      {values.map((value) => (
        <text key={value} x={x} y={scales.y(value)} dy={FROM_MIDDLE}>
          {format(value)}
        </text>
      ))}
    </g>
  );
}

/** A line across the chart at each of some values of its left axis. */
export function GridLines({ values }: { readonly values: readonly number[] }): ReactNode {
  const scales = useScales(0);
  const area = usePlotArea();
  if (scales === null || area === undefined) return null;
  const lines = values.map((value) => `M${pixel(area.x)} ${pixel(scales.y(value))}h${pixel(area.width)}`);
  return <path d={lines.join('')} fill="none" stroke="var(--line)" strokeDasharray="2 4" />;
}
