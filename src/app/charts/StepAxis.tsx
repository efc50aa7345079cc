import type { ReactNode } from 'react';
import { ReferenceArea, ReferenceLine, XAxis } from 'recharts';
import { count } from '../format/format.ts';
import { stepTicks } from './sftSpan.ts';
import { useSftSpan } from './useSftSpan.ts';

export const TICK = { fill: 'var(--ink-faint)', fontSize: 11 };

const TICKS = 4;

/** The steps of a run: shaded on the left its supervised updates, if it has any, and from step 0 on those of reinforcement. */
export function StepAxis({ lastStep, border }: { lastStep: number; border?: string }): ReactNode {
  const { width } = useSftSpan(lastStep);
  const warm = width > 0;
  return (
    <>
      <XAxis
        dataKey="step"
        type="number"
        domain={[-width, lastStep]}
        allowDecimals={false}
        tickCount={6}
        {...(warm ? { ticks: stepTicks(lastStep, TICKS) } : {})}
        tick={TICK}
        tickLine={false}
        stroke="var(--line-strong)"
        height={24}
        tickFormatter={(step: number) => (step === 0 ? 'step 0' : count(step))}
      />
      {warm && (
        <ReferenceArea
          x1={-width}
          x2={0}
          fill="var(--line)"
          fillOpacity={0.45}
          stroke="none"
          label={{ value: 'warm-up', position: 'insideTop', ...TICK }}
        />
      )}
      {warm && (
        <ReferenceLine
          x={0}
          stroke="var(--line-strong)"
          strokeWidth={1.5}
          {...(border === undefined
            ? {}
            : { label: { value: border, position: 'insideTopLeft', fill: 'var(--ink-soft)', fontSize: 11 } })}
        />
      )}
    </>
  );
}
