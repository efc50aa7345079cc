import type { ReactNode } from 'react';
import { CartesianGrid, YAxis } from 'recharts';
import { StepAxis, TICK } from './StepAxis.tsx';

/** Upper end of an axis whose values are all 0, which would else go up to 4. */
const FLAT_TOP = 0.01;

interface PlotAxesProps {
  /** The least range of the vertical axis; null leaves that end to the data. */
  readonly range: readonly [number | null, number | null];
  readonly tick: (value: number) => string;
  readonly lastStep: number;
  /** Whether every value is 0. */
  readonly flat: boolean;
}

/** Grid and axes of a chart over the steps of a run. */
export function PlotAxes({ range: [low, high], tick, lastStep, flat }: PlotAxesProps): ReactNode {
  return (
    <>
      <CartesianGrid stroke="var(--line)" strokeDasharray="2 4" vertical={false} />
      <StepAxis lastStep={lastStep} />
      <YAxis
        width={46}
        tickCount={5}
        tick={TICK}
        tickLine={false}
        axisLine={false}
        tickFormatter={tick}
        domain={[
          low === null ? 'auto' : (min: number) => Math.min(low, min),
          high === null ? (flat ? FLAT_TOP : 'auto') : (max: number) => Math.max(high, max),
        ]}
      />
    </>
  );
}
