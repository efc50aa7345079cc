/** What a chart draws: its axes, the stages of the run, and the curves. */
import { memo, type ReactNode } from 'react';
import { stepTicks } from '@rl-playground/base/roundAxis';
import type { Size } from '../ui/useSize.ts';
import { FROM_TOP, GridLines, StepMarks, ValueMarks } from './Axes.tsx';
import { TICK } from './axes.ts';
import { Curves } from './Curves.tsx';
import type { MarkedAxes } from './domains.ts';
import type { Overlay } from './overlay.ts';
import type { ChartRow } from './rows.ts';
import type { Plot } from './scales.ts';
import type { ChartSpec } from './spec.ts';

const STEP_TICKS = 5;
/** Pixels from an edge to a label inside it. */
const INSIDE = 5;

interface WarmUpProps {
  readonly plot: Plot;
  /** What begins at its end. */
  readonly start: string | undefined;
}

/** The supervised updates in front of step 0: shaded, with a line where reinforcement begins. */
function WarmUp({ plot, start }: WarmUpProps): ReactNode {
  const end = plot.step(0);
  const label = { y: plot.y + INSIDE, dy: FROM_TOP, ...TICK };
  return (
    <>
      <rect
        x={plot.x}
        y={plot.y}
        width={end - plot.x}
        height={plot.height}
        fill="var(--line)"
        fillOpacity={0.45}
      />
      <text {...label} x={(plot.x + end) / 2} textAnchor="middle">
        warm-up
      </text>
      <path d={`M${end} ${plot.y}v${plot.height}`} stroke="var(--line-strong)" strokeWidth={1.5} />
      {start !== undefined && (
        <text {...label} x={end + INSIDE} fill="var(--ink-soft)">
          {start}
        </text>
      )}
    </>
  );
}

interface DrawingProps {
  readonly spec: ChartSpec;
  readonly rows: readonly ChartRow[];
  readonly overlays: readonly Overlay[];
  readonly axes: MarkedAxes;
  readonly size: Size;
  readonly plot: Plot;
  readonly lastStep: number;
  readonly hasWarmUp: boolean;
}

/** Drawn here and not by recharts, which measures every label and line in the page at each drawing. Screen readers are told in words. */
export const Drawing = memo(function Drawing(props: DrawingProps): ReactNode {
  const { spec, rows, overlays, axes, size, plot, lastStep, hasWarmUp } = props;
  const { level, tick } = spec;
  const { left, right, log } = axes;
  return (
    <svg aria-hidden="true" data-drawing {...size}>
      <GridLines plot={plot} values={left.ticks} />
      <StepMarks plot={plot} steps={stepTicks(lastStep, STEP_TICKS)} />
      {hasWarmUp && <WarmUp plot={plot} start={spec.start} />}
      <ValueMarks plot={plot} scale={plot.left} values={left.ticks} format={tick} />
      {right !== undefined && plot.right !== null && (
        <ValueMarks plot={plot} scale={plot.right} values={right.ticks} format={tick} second />
      )}
      {level !== undefined && (
        <path
          d={`M${plot.x} ${plot.left(level.value)}h${plot.width}`}
          stroke="var(--bad)"
          strokeDasharray="5 3"
        />
      )}
      <Curves spec={spec} rows={rows} overlays={overlays} log={log} plot={plot} />
    </svg>
  );
});
