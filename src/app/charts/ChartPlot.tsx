/** The curves of a chart: the lazily loaded part, which brings recharts. */
import { memo, type ReactNode } from 'react';
import {
  Area,
  CartesianGrid,
  ComposedChart,
  Line,
  ReferenceArea,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import { count } from '../format/format.ts';
import { FIRST_WIDTH, niceDomain, stepTicks, TICK, type SftSpan } from './axes.ts';
import type { ChartRow, CurvePoint } from './rows.ts';
import type { ChartSpec, TooltipText } from './spec.ts';
import classes from './charts.module.css';

const HEIGHT = 148;
const STEP_TICKS = 4;
const SCALE = { tick: TICK, tickLine: false, axisLine: false, tickCount: 5, niceTicks: 'snap125' } as const;
const CURVE = { isAnimationActive: false, connectNulls: true, type: 'linear' } as const;

interface StepAxisProps {
  readonly lastStep: number;
  readonly span: SftSpan;
  readonly start: string | undefined;
}

/** The steps of a run: shaded on the left its supervised updates, if it has any, and from step 0 on those of reinforcement. */
function StepAxis({ lastStep, span: { width }, start }: StepAxisProps): ReactNode {
  const warm = width > 0;
  const border =
    start && ({ value: start, position: 'insideTopLeft', ...TICK, fill: 'var(--ink-soft)' } as const);
  return (
    <>
      <XAxis
        dataKey="step"
        type="number"
        domain={[-width, lastStep]}
        allowDecimals={false}
        tickCount={6}
        {...(warm ? { ticks: stepTicks(lastStep, STEP_TICKS) } : {})}
        tick={TICK}
        tickLine={false}
        stroke="var(--line-strong)"
        height={24}
        tickFormatter={(step: number) => (step === 0 ? 'step 0' : count(step))}
      />
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

/** The vertical axes: one scale, or one for each of two curves that have nothing to do with each other. */
function ValueAxes({ range, tick, twoScales = false }: ChartSpec): ReactNode {
  return (
    <>
      <YAxis
        {...SCALE}
        width={46}
        tickFormatter={tick}
        domain={
          range === 'auto'
            ? [0, 'auto']
            : ([min, max]) => niceDomain(Math.min(range[0] ?? min, min), Math.max(range[1] ?? max, max))
        }
      />
      {twoScales && <YAxis {...SCALE} yAxisId="second" orientation="right" width={52} tickFormatter={tick} />}
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
  readonly overlays: readonly Overlay[];
  /** Given by recharts. */
  readonly active?: boolean;
  readonly payload?: readonly { readonly payload?: ChartRow }[];
}

/** The values under the crosshair. */
function Crosshair({ spec, overlays, active, payload }: CrosshairProps): ReactNode {
  const row = payload?.[0]?.payload;
  if (active !== true || row === undefined) return null;
  const { title, lines: own } = spec.tooltip?.(row) ?? tooltipOf(spec, row);
  const others = overlays.flatMap(({ name, index }) => {
    const smooth = row.curves[index]?.smooth;
    return smooth === undefined ? [] : [[name, spec.format(smooth)] as const];
  });
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

function Diamond({ cx, cy, colour }: { cx?: number; cy?: number; colour: string }): ReactNode {
  if (cx === undefined || cy === undefined || !Number.isFinite(cy)) return null;
  const d = `M${cx} ${cy - 5.5}L${cx + 5.5} ${cy}L${cx} ${cy + 5.5}L${cx - 5.5} ${cy}Z`;
  return <path d={d} fill="var(--panel)" stroke={colour} strokeWidth={2} />;
}

const pointOf = (curve: number, what: keyof CurvePoint) => (row: ChartRow) => row.curves[curve]?.[what];

/** Both ends of mean ± spread. */
function bandOf({ curves: [mean, spread] }: ChartRow): [number, number] | undefined {
  return mean?.value === undefined || spread?.value === undefined
    ? undefined
    : [mean.value - spread.value, mean.value + spread.value];
}

interface CurveProps {
  readonly spec: ChartSpec;
  readonly index: number;
  /** The only value there is shows as a dot: it makes no line. */
  readonly single: boolean;
}

/** Thin as it was measured, strong as its moving average, with diamonds for evaluations. */
function SmoothedCurve({ spec, index, single }: CurveProps): ReactNode {
  const curve = spec.curves[index];
  if (curve === undefined) return null;
  const { name, colour, evaluation, greedy } = curve;
  const scale = spec.twoScales === true && index > 0 ? { yAxisId: 'second' } : {};
  return (
    <>
      <Line
        {...CURVE}
        {...scale}
        dataKey={pointOf(index, 'value')}
        name={name}
        stroke={colour}
        strokeOpacity={0.45}
        strokeWidth={1}
        dot={false}
        activeDot={{ r: 3 }}
      />
      <Line
        {...CURVE}
        {...scale}
        dataKey={pointOf(index, 'smooth')}
        name={`${name}, smoothed`}
        stroke={colour}
        strokeWidth={2.2}
        dot={single ? { r: 3.5, fill: colour, strokeWidth: 0 } : false}
        activeDot={false}
      />
      {greedy !== undefined && (
        <Line
          {...CURVE}
          dataKey={pointOf(index, 'greedy')}
          name={`${name}, greedy`}
          stroke={colour}
          strokeWidth={1.2}
          strokeDasharray="5 4"
          activeDot={false}
          dot={{ r: 2.2, fill: colour, strokeWidth: 0, strokeDasharray: '' }}
        />
      )}
      {evaluation !== undefined && (
        <Line
          isAnimationActive={false}
          dataKey={pointOf(index, 'evaluation')}
          name={`${name}, held-out`}
          stroke="none"
          activeDot={false}
          dot={({ key, cx, cy }: { key?: unknown; cx?: number; cy?: number }) => (
            <Diamond key={String(key)} cx={cx} cy={cy} colour={colour} />
          )}
        />
      )}
    </>
  );
}

function PlainCurve({ spec: { curves, shape }, index, single }: CurveProps): ReactNode {
  const curve = curves[index];
  if (curve === undefined) return null;
  const { name, colour } = curve;
  const shared = { ...CURVE, dataKey: pointOf(index, 'value'), name, stroke: colour };
  const dot = (r: number) => (single ? { r, fill: colour, strokeWidth: 0 } : false);
  return shape === 'stack' ? (
    <Area {...shared} stackId="whole" fill={colour} fillOpacity={0.35} activeDot={false} dot={dot(3)} />
  ) : (
    <Line {...shared} strokeWidth={1.6} dot={dot(3.5)} activeDot={{ r: 3 }} />
  );
}

const NONE: readonly Overlay[] = [];

/** Another run, or several seeds, drawn beside the current one. */
export interface Overlay {
  readonly name: string;
  readonly colour: string;
  /** What others are held against. */
  readonly pinned: boolean;
  /** Of its mean among the series of the rows; both ends of its interval follow. */
  readonly index: number;
}

/** The moving averages alone, and the interval of several seeds as a band. A function, because recharts looks through no component for its parts. */
function overlayParts({ name, colour, pinned, index }: Overlay): ReactNode[] {
  const band = ({ curves }: ChartRow): [number, number] | undefined => {
    const [low, high] = [curves[index + 1]?.smooth, curves[index + 2]?.smooth];
    return low === undefined || high === undefined ? undefined : [low, high];
  };
  return [
    <Area
      key={`${index} band`}
      {...CURVE}
      dataKey={band}
      stroke="none"
      fill={colour}
      fillOpacity={0.16}
      activeDot={false}
      tooltipType="none"
    />,
    <Line
      key={`${index} mean`}
      {...CURVE}
      dataKey={pointOf(index, 'smooth')}
      name={name}
      stroke={colour}
      strokeWidth={pinned ? 2.2 : 1.5}
      strokeDasharray={pinned ? '7 3' : ''}
      dot={false}
      activeDot={false}
    />,
  ];
}

interface ChartPlotProps {
  readonly spec: ChartSpec;
  readonly rows: readonly ChartRow[];
  readonly lastStep: number;
  readonly span: SftSpan;
  readonly overlays?: readonly Overlay[] | undefined;
}

/** Drawing takes long, so it is done for new steps alone, not whenever the page has news of the run. */
export const ChartPlot = memo(function ChartPlot({
  spec,
  rows,
  lastStep,
  span,
  overlays = NONE,
}: ChartPlotProps): ReactNode {
  const { curves, shape, level, twoScales = false, start } = spec;
  const [first] = curves;
  const single =
    rows.filter(({ curves: points }) => points.some(({ value }) => value !== undefined)).length === 1;
  const OneCurve = shape === 'smoothed' ? SmoothedCurve : PlainCurve;
  return (
    <ResponsiveContainer width="100%" height="100%" initialDimension={{ width: FIRST_WIDTH, height: HEIGHT }}>
      <ComposedChart
        data={[...rows]}
        margin={{ top: 8, right: twoScales ? 0 : 10, bottom: 0, left: 0 }}
        // One crosshair through all charts.
        syncId="steps"
        syncMethod="value"
      >
        <CartesianGrid stroke="var(--line)" strokeDasharray="2 4" vertical={false} />
        <StepAxis lastStep={lastStep} span={span} start={start} />
        <ValueAxes {...spec} />
        {level !== undefined && (
          <ReferenceLine
            y={level.value}
            ifOverflow="extendDomain"
            stroke="var(--bad)"
            strokeDasharray="5 3"
          />
        )}
        <Tooltip
          isAnimationActive={false}
          cursor={{ stroke: 'var(--line-strong)', strokeDasharray: '3 3' }}
          content={<Crosshair spec={spec} overlays={overlays} />}
        />
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
        {overlays.flatMap(overlayParts)}
        {(shape === 'band' ? curves.slice(0, 1) : curves).map(({ name }, index) => (
          <OneCurve key={name} spec={spec} index={index} single={single} />
        ))}
      </ComposedChart>
    </ResponsiveContainer>
  );
});
