import { memo } from 'react';
import type { ReactNode } from 'react';
import { Area, ComposedChart, Line, ReferenceLine, Tooltip } from 'recharts';
import type { SeriesRow } from './seriesRows.ts';
import type { SeriesChart } from './specs/spec.ts';
import { PlotAxes } from './PlotAxes.tsx';
import { CROSSHAIR, CURVE, OVER_STEPS, PlotBox } from './PlotBox.tsx';
import { SeriesTooltip } from './SeriesTooltip.tsx';

interface SeriesPlotProps {
  readonly chart: SeriesChart;
  readonly rows: readonly SeriesRow[];
  readonly lastStep: number;
}

const valueAt = (index: number) => (row: SeriesRow) => row.values[index] ?? undefined;

/** Both ends of mean ± spread. */
function bandOf({ values: [mean, spread] }: SeriesRow): [number, number] | undefined {
  return mean == null || spread == null ? undefined : [mean - spread, mean + spread];
}

/** The lazily loaded part of a chart with several curves; drawn for new steps alone, as it takes long. */
export const SeriesPlot = memo(function SeriesPlot({ chart, rows, lastStep }: SeriesPlotProps): ReactNode {
  const { curves, shape, level } = chart;
  const [first] = curves;
  return (
    <PlotBox>
      <ComposedChart data={[...rows]} {...OVER_STEPS}>
        <PlotAxes range={chart.range} tick={chart.tick} lastStep={lastStep} />
        {level !== undefined && (
          <ReferenceLine
            y={level.value}
            ifOverflow="extendDomain"
            stroke="var(--bad)"
            strokeDasharray="5 3"
          />
        )}
        <Tooltip {...CROSSHAIR} content={<SeriesTooltip chart={chart} />} />
        {shape === 'band' && first !== undefined && (
          <Area
            {...CURVE}
            dataKey={bandOf}
            stroke="none"
            fill={first.colour}
            fillOpacity={0.2}
            activeDot={false}
          />
        )}
        {(shape === 'band' ? curves.slice(0, 1) : curves).map(({ name, colour }, index) =>
          shape === 'stack' ? (
            <Area
              key={name}
              {...CURVE}
              dataKey={valueAt(index)}
              name={name}
              stackId="whole"
              stroke={colour}
              fill={colour}
              fillOpacity={0.35}
              activeDot={false}
              dot={rows.length === 1 ? { r: 3, fill: colour, strokeWidth: 0 } : false}
            />
          ) : (
            <Line
              key={name}
              {...CURVE}
              dataKey={valueAt(index)}
              name={name}
              stroke={colour}
              strokeWidth={1.6}
              dot={rows.length === 1 ? { r: 3.5, fill: colour, strokeWidth: 0 } : false}
              activeDot={{ r: 3 }}
            />
          ),
        )}
      </ComposedChart>
    </PlotBox>
  );
});
