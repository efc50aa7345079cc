/** The settings of recharts that all charts of the page share: axes, curves without animation, and a key. */
import type { ReactNode } from 'react';
import { Curve, type CurveProps } from 'recharts';

export const TICK = { fill: 'var(--ink-faint)', fontSize: 11 };

/** Pixels around the plot. Half of the last label below lies beyond its axis. */
export const MARGIN = { top: 8, right: 14, bottom: 0, left: 0 };

/**
 * Both ends and the ticks are given, and labels have no width to fit into. Otherwise recharts would look through all values for the ends at
 * each drawing, and measure each label in the page.
 */
const AXIS = {
  type: 'number',
  allowDataOverflow: true,
  niceTicks: 'none',
  interval: 0,
  tickLine: false,
  tick: { ...TICK, width: undefined },
  zIndex: 0,
} as const;

export const AXIS_BELOW = { ...AXIS, height: 24, stroke: 'var(--line-strong)' } as const;
export const AXIS_BESIDE = { ...AXIS, width: 52, axisLine: false } as const;

export const GRID = { vertical: false, stroke: 'var(--line)', strokeDasharray: '2 4' } as const;

export const CROSSHAIR = {
  isAnimationActive: false,
  cursor: { stroke: 'var(--line-strong)', strokeDasharray: '3 3' },
} as const;

/** An area bridges the gap between two values. */
export const AREA = {
  type: 'linear',
  connectNulls: true,
  isAnimationActive: false,
  activeDot: false,
  legendType: 'none',
  zIndex: 0,
} as const;

/** A line as recharts draws it, without the measuring of its length at each drawing, and whole at the ends of an axis. */
const wholeLine = (props: CurveProps): ReactNode => (
  <Curve {...props} pathRef={undefined} clipPath={undefined} />
);

export const LINE = { ...AREA, dot: false, shape: wholeLine } as const;

/** The key is in the order of the curves. recharts would sort it by name. */
export const KEY = { itemSorter: null, labelStyle: { color: 'inherit' } } as const;

/** A filled circle for each value, whole at the ends of an axis. */
export const dots = (radius: number, colour: string | undefined) => ({
  r: radius,
  fill: colour,
  strokeWidth: 0,
  clipDot: false,
});
