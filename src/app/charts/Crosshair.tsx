/** The crosshair of a chart, by recharts: laid over what is drawn once somebody points at a chart. */
import { useMemo, type ReactNode } from 'react';
import { ComposedChart, Tooltip, useActiveTooltipLabel, useIsTooltipActive, XAxis } from 'recharts';
import { SERIES_PER_ARM } from '../compare/armSeries.ts';
import type { Size } from '../ui/useSize.ts';
import type { Domain } from './domains.ts';
import type { Overlay } from './overlay.ts';
import { drawn, type ChartRow } from './rows.ts';
import { scaleOfCurve, type Plot } from './scales.ts';
import type { ChartSpec, TooltipText } from './spec.ts';
import { ValueBox } from './ValueBox.tsx';
import classes from './charts.module.css';

/** A line for each value under the crosshair; of a smoothed curve also for its average and its evaluation. */
function tooltipOf({ shape, curves, format }: ChartSpec, row: ChartRow): TooltipText {
  return {
    title: row.step < 0 ? 'Warm-up' : `Step ${row.step}`,
    lines: curves.flatMap(({ name }, index) => {
      const { value, smooth, evaluation, greedy } = row.curves[index] ?? {};
      if (shape !== 'smoothed') return [[name, format(value ?? null)] as const];
      const present = [
        [name, value],
        ['smoothed', smooth],
        ['held-out', evaluation],
        ['held-out, greedy', greedy],
      ] as const;
      return present.flatMap(([what, number]) =>
        number === undefined ? [] : [[what, format(number)] as const],
      );
    }),
  };
}

interface ValuesProps {
  readonly spec: ChartSpec;
  readonly rows: readonly ChartRow[];
  readonly overlays: readonly Overlay[];
  /** Given by recharts. */
  readonly active?: boolean;
  readonly label?: unknown;
}

/** The values under the crosshair. */
function Values({ spec, rows, overlays, active, label }: ValuesProps): ReactNode {
  const row = active === true ? rows.find(({ step }) => step === label) : undefined;
  if (row === undefined) return null;
  const { title, lines: own } = spec.tooltip?.(row) ?? tooltipOf(spec, row);
  const others = overlays.flatMap(({ name, index }) =>
    spec.curves.flatMap((curve, i) => {
      const value = drawn(index + i * SERIES_PER_ARM)(row);
      const title = spec.curves.length > 1 ? `${name}, ${curve.name}` : name;
      return value === undefined ? [] : [[title, spec.format(value)] as const];
    }),
  );
  return <ValueBox title={title} lines={[...own, ...others]} />;
}

type DotsProps = Pick<CrosshairProps, 'spec' | 'rows' | 'plot'>;

/** Where the crosshair meets the curves. */
function Dots({ spec, rows, plot }: DotsProps): ReactNode {
  const active = useIsTooltipActive();
  const label = useActiveTooltipLabel();
  const row = active ? rows.find(({ step }) => step === label) : undefined;
  if (row === undefined || spec.shape === 'stack') return null;
  return spec.curves.map(({ name, colour }, index) => {
    const value = row.curves[index]?.value;
    return value === undefined ? null : (
      <circle
        key={name}
        cx={plot.step(row.step)}
        cy={scaleOfCurve(plot, index)(value)}
        r={3}
        fill={colour}
        stroke="var(--panel)"
      />
    );
  });
}

interface CrosshairProps {
  readonly spec: ChartSpec;
  readonly rows: readonly ChartRow[];
  readonly overlays: readonly Overlay[];
  readonly size: Size;
  readonly plot: Plot;
  readonly steps: Domain;
}

export function Crosshair({ spec, rows, overlays, size, plot, steps }: CrosshairProps): ReactNode {
  const margin = useMemo(
    () => ({
      top: plot.y,
      right: size.width - plot.x - plot.width,
      bottom: size.height - plot.y - plot.height,
      left: plot.x,
    }),
    [plot, size],
  );
  // All that it needs of them: recharts freezes what it is given, value by value, with each step.
  const positions = useMemo(() => rows.map(({ step }) => ({ step })), [rows]);
  return (
    <ComposedChart
      {...size}
      className={classes.crosshair}
      data={positions}
      margin={margin}
      // One crosshair through all charts.
      syncId="steps"
      syncMethod="value"
    >
      <XAxis dataKey="step" type="number" domain={[...steps]} hide niceTicks="none" interval={0} />
      <Tooltip
        isAnimationActive={false}
        cursor={{ stroke: 'var(--line-strong)', strokeDasharray: '3 3' }}
        content={<Values spec={spec} rows={rows} overlays={overlays} />}
        // The curves are no items of recharts, which would hide a crosshair without them.
        wrapperStyle={{ visibility: 'visible' }}
      />
      <Dots spec={spec} rows={rows} plot={plot} />
    </ComposedChart>
  );
}
