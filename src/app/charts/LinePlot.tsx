import { memo } from 'react';
import type { ReactNode } from 'react';
import { Line, LineChart, Tooltip } from 'recharts';
import type { ChartRow } from './series.ts';
import { ChartTooltip } from './ChartTooltip.tsx';
import type { ChartSpec } from './chartSpecs.ts';
import { PlotAxes } from './PlotAxes.tsx';
import { CROSSHAIR, CURVE, OVER_STEPS, PlotBox } from './PlotBox.tsx';

interface LinePlotProps {
  readonly spec: Omit<ChartSpec, 'value'>;
  readonly rows: readonly ChartRow[];
  /** Right end of the horizontal axis: the whole run, so that the curve also shows how much is left. */
  readonly lastStep: number;
}

function Diamond({ cx, cy, colour }: { cx?: number; cy?: number; colour: string }): ReactNode {
  if (cx === undefined || cy === undefined || !Number.isFinite(cy)) return null;
  const d = `M${cx} ${cy - 5.5}L${cx + 5.5} ${cy}L${cx} ${cy + 5.5}L${cx - 5.5} ${cy}Z`;
  return <path d={d} fill="var(--panel)" stroke={colour} strokeWidth={2} />;
}

/**
 * The lazily loaded part of a chart: thin line per step, strong smoothed line, diamonds for evaluations. Drawing takes long, so
 * it is done for new steps alone, not whenever the page has news of the run.
 */
export const LinePlot = memo(function LinePlot({ spec, rows, lastStep }: LinePlotProps): ReactNode {
  const single = rows.filter((row) => row.raw !== undefined).length === 1;
  return (
    <PlotBox>
      <LineChart data={[...rows]} {...OVER_STEPS}>
        <PlotAxes range={spec.range} tick={spec.tick} lastStep={lastStep} />
        <Tooltip {...CROSSHAIR} content={<ChartTooltip spec={spec} />} />
        <Line
          {...CURVE}
          dataKey="raw"
          name="each step"
          stroke={spec.colour}
          strokeOpacity={0.45}
          strokeWidth={1}
          dot={false}
          activeDot={{ r: 3 }}
        />
        <Line
          {...CURVE}
          dataKey="smooth"
          name="smoothed"
          stroke={spec.colour}
          strokeWidth={2.2}
          dot={single ? { r: 3.5, fill: spec.colour, strokeWidth: 0 } : false}
          activeDot={false}
        />
        {spec.evaluation !== undefined && (
          <Line
            isAnimationActive={false}
            dataKey="evaluation"
            name="held-out"
            stroke="none"
            activeDot={false}
            dot={({ key, cx, cy }: { key?: unknown; cx?: number; cy?: number }) => (
              <Diamond key={String(key)} cx={cx} cy={cy} colour={spec.colour} />
            )}
          />
        )}
      </LineChart>
    </PlotBox>
  );
});
