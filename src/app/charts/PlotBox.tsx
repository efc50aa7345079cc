import type { ReactNode } from 'react';
import { ResponsiveContainer } from 'recharts';

const HEIGHT = 148;

/** What recharts' charts over the steps of a run have in common: their margins, and one crosshair through all of them. */
export const OVER_STEPS = {
  margin: { top: 8, right: 10, bottom: 0, left: 0 },
  syncId: 'steps',
  syncMethod: 'value',
} as const;

/** Of their tooltips. */
export const CROSSHAIR = {
  isAnimationActive: false,
  cursor: { stroke: 'var(--line-strong)', strokeDasharray: '3 3' },
} as const;

/** Of their lines and areas. */
export const CURVE = { isAnimationActive: false, connectNulls: true, type: 'linear' } as const;

/** The room of a chart: as wide as its panel. `width`: that of the first frame, before it is measured. */
export function PlotBox({ width = 320, children }: { width?: number; children: ReactNode }): ReactNode {
  return (
    <ResponsiveContainer width="100%" height={HEIGHT} initialDimension={{ width, height: HEIGHT }}>
      {children}
    </ResponsiveContainer>
  );
}
