/** The curves of a chart: the lazily loaded part, which brings recharts. */
import { memo, useMemo, type ReactNode } from 'react';
import { ComposedChart, ReferenceArea, ReferenceLine, Tooltip, XAxis, YAxis } from 'recharts';
import { stepTicks, ticksWithin } from '../../base/roundAxis.ts';
import { TICK, type PowerAxis, type SftSpan } from './axes.ts';
import { GridLines, StepMarks, ValueMarks } from './Axes.tsx';
import { Curves } from './Curves.tsx';
import { domainsOf, type Domain } from './domains.ts';
import type { Overlay } from './overlay.ts';
import { drawn, type ChartRow } from './rows.ts';
import type { ChartSpec, TooltipText } from './spec.ts';
import { SERIES_PER_ARM } from '../compare/armSeries.ts';
import classes from './charts.module.css';

/** Beside the last label, half of which stands beyond its axis. */
const RIGHT_MARGIN = 14;
const STEP_TICKS = 5;
/** Pixels below the plot, and beside it for each vertical axis. */
const BELOW = 24;
const BESIDE = 52;
/**
 * Of an axis that gives its scale alone; `Axes.tsx` marks it. Left to itself recharts looks for ticks, measures at every drawing whether
 * their labels fit, and draws a chart twice for it.
 */
const SCALE = { type: 'number', hide: true, niceTicks: 'none', interval: 0 } as const;

interface StepAxisProps {
  readonly lastStep: number;
  readonly span: SftSpan;
  readonly start: string | undefined;
}

/** The steps of a run: shaded on the left its supervised updates, if it has any, and from step 0 on those of reinforcement. */
function StepAxis({ lastStep, span: { width }, start }: StepAxisProps): ReactNode {
  const warm = width > 0;
  const ticks = stepTicks(lastStep, STEP_TICKS);
  const border =
    start && ({ value: start, position: 'insideTopLeft', ...TICK, fill: 'var(--ink-soft)' } as const);
  return (
    <>
      <XAxis dataKey="step" domain={[-width, lastStep]} ticks={ticks} {...SCALE} />
      <StepMarks steps={ticks} />
      {warm && (
        <>
          <ReferenceArea
            x1={-width}
            x2={0}
            fill="var(--line)"
            fillOpacity={0.45}
            stroke="none"
            label={{ value: 'warm-up', position: 'insideTop', ...TICK }}
          />
          <ReferenceLine x={0} stroke="var(--line-strong)" strokeWidth={1.5} label={border} />
        </>
      )}
    </>
  );
}

/** Where an axis ends, and the round numbers that are marked on it. */
interface Marked {
  readonly domain: Domain;
  readonly ticks: readonly number[];
}

const marked = (domain: Domain): Marked => ({ domain, ticks: ticksWithin(domain) });

interface ValueAxisProps extends Pick<ChartSpec, 'tick'>, Marked {
  readonly log?: boolean;
  /** For the second of two curves that have nothing to do with each other. */
  readonly second?: boolean;
}

/** A vertical axis. */
function ValueAxis({ domain, ticks, tick, log = false, second = false }: ValueAxisProps): ReactNode {
  return (
    <>
      <YAxis
        {...SCALE}
        {...(log && { scale: 'log' })}
        {...(second && { yAxisId: 'second', orientation: 'right' })}
        domain={[...domain]}
        ticks={[...ticks]}
        allowDataOverflow
      />
      <ValueMarks values={ticks} format={tick} second={second} />
    </>
  );
}

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

interface CrosshairProps {
  readonly spec: ChartSpec;
  readonly rows: readonly ChartRow[];
  readonly overlays: readonly Overlay[];
  /** Given by recharts. */
  readonly active?: boolean;
  readonly label?: unknown;
}

/** The values under the crosshair. */
function Crosshair({ spec, rows, overlays, active, label }: CrosshairProps): ReactNode {
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
  const lines = [...own, ...others];
  return (
    <div className={classes.tooltip}>
      <div className={classes.tooltipStep}>{title}</div>
      {lines.map(([name, value]) => (
        <div key={name} className={classes.tooltipLine}>
          <span>{name}</span>
          <span className="number">{value}</span>
        </div>
      ))}
    </div>
  );
}

const NONE: readonly Overlay[] = [];

interface ChartPlotProps {
  readonly spec: ChartSpec;
  readonly rows: readonly ChartRow[];
  readonly lastStep: number;
  readonly span: SftSpan;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly overlays?: readonly Overlay[] | undefined;
  /** Null for a linear axis. */
  readonly log?: PowerAxis | null | undefined;
}

/** Drawing takes long, so it is done for new steps alone, not whenever the page has news of the run. */
export const ChartPlot = memo(function ChartPlot({
  spec,
  rows,
  lastStep,
  span,
  width,
  height,
  overlays = NONE,
  log = null,
}: ChartPlotProps): ReactNode {
  const { level, tick, twoScales = false, start } = spec;
  const [first, second] = useMemo(() => domainsOf(spec, rows), [spec, rows]);
  const left = log ?? marked(first);
  // All that the crosshair needs of them: recharts freezes what it is given, value by value, with each step.
  const positions = useMemo(() => rows.map(({ step }) => ({ step })), [rows]);
  return (
    <ComposedChart
      width={width}
      height={height}
      data={positions}
      margin={{ top: 8, right: twoScales ? BESIDE : RIGHT_MARGIN, bottom: BELOW, left: BESIDE }}
      // One crosshair through all charts.
      syncId="steps"
      syncMethod="value"
    >
      <GridLines values={left.ticks} />
      <StepAxis lastStep={lastStep} span={span} start={start} />
      <ValueAxis {...left} tick={tick} log={log !== null} />
      {second !== undefined && <ValueAxis {...marked(second)} tick={tick} second />}
      {level !== undefined && <ReferenceLine y={level.value} stroke="var(--bad)" strokeDasharray="5 3" />}
      <Tooltip
        isAnimationActive={false}
        cursor={{ stroke: 'var(--line-strong)', strokeDasharray: '3 3' }}
        content={<Crosshair spec={spec} rows={rows} overlays={overlays} />}
        // The curves are no items of recharts, which would hide a crosshair without them.
        wrapperStyle={{ visibility: 'visible' }}
      />
      <Curves spec={spec} rows={rows} overlays={overlays} log={log} />
    </ComposedChart>
  );
});
