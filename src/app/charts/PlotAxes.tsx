import type { ReactNode } from 'react';
import { CartesianGrid, YAxis } from 'recharts';
import { niceDomain } from './niceDomain.ts';
import { StepAxis, TICK } from './StepAxis.tsx';

interface PlotAxesProps {
  /** The least range of the vertical axis; null leaves that end to the data. */
  readonly range: readonly [number | null, number | null];
  readonly tick: (value: number) => string;
  readonly lastStep: number;
}

/** Grid and axes of a chart over the steps of a run. */
export function PlotAxes({ range: [low, high], tick, lastStep }: PlotAxesProps): ReactNode {
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
        niceTicks="snap125"
        domain={([min, max]) => niceDomain(Math.min(low ?? min, min), Math.max(high ?? max, max))}
      />
    </>
  );
}
