import { memo } from 'react';
import type { ReactNode } from 'react';
import { CartesianGrid, Line, LineChart, Tooltip, YAxis } from 'recharts';
import { compact, count, fixed } from '../format/format.ts';
import { updateAt } from './sftSpan.ts';
import type { TwoStageRow } from './twoStageRows.ts';
import { CROSSHAIR, CURVE, OVER_STEPS, PlotBox } from './PlotBox.tsx';
import { StepAxis, TICK } from './StepAxis.tsx';
import { TooltipBox, type TooltipContent } from './TooltipBox.tsx';
import { useSftSpan } from './useSftSpan.ts';

export const STAGE_COLOURS = { taught: 'var(--series-other)', policy: 'var(--series-reward)' } as const;

interface SftPlotProps {
  readonly rows: readonly TwoStageRow[];
  readonly lastStep: number;
}

function StageTooltip({
  lastStep,
  active,
  payload,
}: TooltipContent<TwoStageRow> & { readonly lastStep: number }): ReactNode {
  const span = useSftSpan(lastStep);
  const row = payload?.[0]?.payload;
  if (active !== true || row === undefined) return null;
  return row.taught === undefined ? (
    <TooltipBox title={`Step ${count(row.step)}`} lines={[['policy loss', compact(row.policy)]]} />
  ) : (
    <TooltipBox
      title={`Supervised update ${count(updateAt(row.step, span))}`}
      lines={[['token NLL', fixed(row.taught, 3)]]}
    />
  );
}

/**
 * The lazily loaded part of the chart of both stages; drawn for new steps alone, as it takes long. The two losses have nothing to do
 * with each other: each has its own scale.
 */
export const SftPlot = memo(function SftPlot({ rows, lastStep }: SftPlotProps): ReactNode {
  const curve = { ...CURVE, dot: false } as const;
  const axis = { tick: TICK, tickLine: false, axisLine: false, tickCount: 5, niceTicks: 'snap125' } as const;
  const thin = { ...curve, strokeOpacity: 0.45, strokeWidth: 1, activeDot: { r: 3 } };
  const strong = { ...curve, strokeWidth: 2.2, activeDot: false };
  return (
    <PlotBox width={640}>
      <LineChart data={[...rows]} {...OVER_STEPS} margin={{ ...OVER_STEPS.margin, right: 0 }}>
        <CartesianGrid stroke="var(--line)" strokeDasharray="2 4" vertical={false} />
        <StepAxis lastStep={lastStep} border="RL starts here" />
        <YAxis {...axis} width={46} tickFormatter={compact} domain={[0, 'auto']} />
        <YAxis {...axis} yAxisId="policy" orientation="right" width={52} tickFormatter={compact} />
        <Tooltip {...CROSSHAIR} content={<StageTooltip lastStep={lastStep} />} />
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
    </PlotBox>
  );
});
