import type { ReactNode } from 'react';
import { CartesianGrid, Line, LineChart, ResponsiveContainer, Tooltip, YAxis } from 'recharts';
import { compact, count, fixed } from '../lib/format.ts';
import { updateAt } from '../lib/warmUpSpan.ts';
import type { TwoStageRow } from '../lib/twoStageRows.ts';
import { PLOT_HEIGHT } from './PlotAxes.tsx';
import { StepAxis, TICK } from './StepAxis.tsx';
import { useWarmUpSpan } from './useWarmUpSpan.ts';
import classes from './charts.module.css';

export const STAGE_COLOURS = { taught: 'var(--series-other)', policy: 'var(--series-reward)' } as const;

interface WarmStartPlotProps {
  readonly rows: readonly TwoStageRow[];
  readonly lastStep: number;
}

interface StageTooltipProps {
  readonly lastStep: number;
  /** Given by recharts. */
  readonly active?: boolean;
  readonly payload?: readonly { readonly payload?: TwoStageRow }[];
}

function StageTooltip({ lastStep, active, payload }: StageTooltipProps): ReactNode {
  const span = useWarmUpSpan(lastStep);
  const row = payload?.[0]?.payload;
  if (active !== true || row === undefined) return null;
  const taught = row.taught !== undefined;
  const value = taught ? fixed(row.taught, 3) : compact(row.policy);
  return (
    <div className={classes.tooltip}>
      <div className={classes.tooltipStep}>
        {taught ? `Supervised update ${count(updateAt(row.step, span))}` : `Step ${count(row.step)}`}
      </div>
      <div className={classes.tooltipLine}>
        <span>{taught ? 'token NLL' : 'policy loss'}</span>
        <span className="number">{value}</span>
      </div>
    </div>
  );
}

/** The lazily loaded part of the chart of both stages. The two losses have nothing to do with each other: each has its own scale. */
export function WarmStartPlot({ rows, lastStep }: WarmStartPlotProps): ReactNode {
  const curve = { isAnimationActive: false, connectNulls: true, type: 'linear', dot: false } as const;
  const axis = { tick: TICK, tickLine: false, axisLine: false, tickCount: 5 } as const;
  const thin = { ...curve, strokeOpacity: 0.45, strokeWidth: 1, activeDot: { r: 3 } };
  const strong = { ...curve, strokeWidth: 2.2, activeDot: false };
  return (
    <ResponsiveContainer
      width="100%"
      height={PLOT_HEIGHT}
      initialDimension={{ width: 640, height: PLOT_HEIGHT }}
    >
      <LineChart
        data={[...rows]}
        margin={{ top: 8, right: 0, bottom: 0, left: 0 }}
        syncId="steps"
        syncMethod="value"
      >
        <CartesianGrid stroke="var(--line)" strokeDasharray="2 4" vertical={false} />
        <StepAxis lastStep={lastStep} border="RL starts here" />
        <YAxis {...axis} width={46} tickFormatter={compact} domain={[0, 'auto']} />
        <YAxis {...axis} yAxisId="policy" orientation="right" width={52} tickFormatter={compact} />
        <Tooltip
          isAnimationActive={false}
          cursor={{ stroke: 'var(--line-strong)', strokeDasharray: '3 3' }}
          content={<StageTooltip lastStep={lastStep} />}
        />
        <Line {...thin} dataKey="taught" name="token NLL" stroke={STAGE_COLOURS.taught} />
        <Line {...strong} dataKey="taughtSmooth" name="token NLL, smoothed" stroke={STAGE_COLOURS.taught} />
        <Line {...thin} yAxisId="policy" dataKey="policy" name="policy loss" stroke={STAGE_COLOURS.policy} />
        <Line
          {...strong}
          yAxisId="policy"
          dataKey="policySmooth"
          name="policy loss, smoothed"
          stroke={STAGE_COLOURS.policy}
        />
      </LineChart>
    </ResponsiveContainer>
  );
}
