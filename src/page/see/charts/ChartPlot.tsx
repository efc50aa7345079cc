/** A chart over the steps as recharts draws it: axes, the stages of the run, curves, crosshair and key. It is loaded after the first paint. */
import { memo, useMemo, type ReactNode } from 'react';
import {
  CartesianGrid,
  ComposedChart,
  Legend,
  ReferenceArea,
  ReferenceLine,
  Tooltip,
  useActiveTooltipDataPoints,
  XAxis,
  YAxis,
} from 'recharts';
import { stepTicks, ticksWithin } from '@rl-playground/base/roundAxis';
import { count } from '../../ui/text/format.ts';
import { logTicks, type Domain, type SftSpan } from './axes.ts';
import { ChartCurves } from './ChartCurves.tsx';
import { domainsOf } from './domains.ts';
import { DASHES, SERIES_PER_ARM, type Overlay } from './stepSeries.ts';
import { AXIS_BELOW, AXIS_BESIDE, CROSSHAIR, GRID, KEY, MARGIN, TICK, ValueBox } from './parts.tsx';
import { drawn, type ChartRow } from './specs/rows.ts';
import type { ChartSpec, CurveNow, TooltipText } from './specs/spec.ts';
import classes from './charts.module.css';

const STEP_TICKS = 5;

const stepText = (step: number): string => (step === 0 ? 'step 0' : count(step));

/** A line for each value under the crosshair. A smoothed curve also has lines for its average and its evaluation. */
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

function Values({ spec, overlays }: Pick<ChartPlotProps, 'spec' | 'overlays'>): ReactNode {
  const [row] = useActiveTooltipDataPoints<ChartRow>() ?? [];
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

/** The dashes of a curve in other runs. */
function Dash({ curve, spec }: { readonly curve: string; readonly spec: ChartSpec }): ReactNode {
  const place = spec.curves.findIndex(({ name }) => name === curve);
  return (
    <svg aria-hidden="true" width="26" height="8" className={classes.dashes}>
      <path
        d="M0 4h26"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeDasharray={DASHES[place % DASHES.length]}
      />
    </svg>
  );
}

/** An axis that stays the same object while its ends do, because recharts computes the whole chart anew for another one. */
function useAxis([low, high]: Domain, scale: 'linear' | 'log') {
  return useMemo(() => {
    const domain = [low, high] as const;
    return { domain, scale, ticks: scale === 'log' ? logTicks(domain) : ticksWithin(domain) };
  }, [low, high, scale]);
}

const noLines = (): number[] => [];

/** A line across at each tick of the left axis, which is not drawn again with each step. */
const Grid = memo(function Grid(): ReactNode {
  return <CartesianGrid {...GRID} verticalCoordinatesGenerator={noLines} />;
});

interface ChartPlotProps {
  readonly spec: ChartSpec;
  readonly rows: readonly ChartRow[];
  readonly overlays: readonly Overlay[];
  /** The ends of a logarithmic axis; null for a linear one. */
  readonly log: Domain | null;
  readonly lastStep: number;
  readonly span: SftSpan;
  readonly width: number;
  readonly height: number;
  /** The element that recharts fills with the key; null without one. */
  readonly keyPlace: HTMLElement | null;
  readonly shown: readonly CurveNow[];
}

/** Drawing takes milliseconds, so it is done only for new steps and not for all news of the run. */
export const ChartPlot = memo(function ChartPlot(props: ChartPlotProps): ReactNode {
  const { spec, rows, overlays, log, lastStep, span, width, height, keyPlace, shown } = props;
  const { level, tick, start } = spec;
  const [first, second] = useMemo(() => domainsOf(spec, rows), [spec, rows]);
  const left = useAxis(log ?? first, log === null ? 'linear' : 'log');
  const right = useAxis(second ?? first, 'linear');
  const margin = second === undefined ? MARGIN : { ...MARGIN, right: 0 };
  const steps = useMemo(
    () => ({ domain: [-span.width, lastStep] as const, ticks: stepTicks(lastStep, STEP_TICKS) }),
    [span, lastStep],
  );
  return (
    <ComposedChart
      width={width}
      height={height}
      data={rows}
      margin={margin}
      aria-label={`${spec.title}, by the arrow keys`}
      // One crosshair through all charts.
      syncId="steps"
      syncMethod="value"
    >
      <Grid />
      <XAxis {...AXIS_BELOW} {...steps} dataKey="step" tickFormatter={stepText} />
      {span.width > 0 && (
        <>
          <ReferenceArea
            x1={-span.width}
            x2={0}
            fill="var(--line)"
            fillOpacity={0.45}
            stroke="none"
            label={{ value: 'warm-up', position: 'insideTop', ...TICK }}
          />
          <ReferenceLine
            x={0}
            stroke="var(--line-strong)"
            strokeWidth={1.5}
            label={start && { value: start, position: 'insideTopLeft', ...TICK, fill: 'var(--ink-soft)' }}
          />
        </>
      )}
      <YAxis {...AXIS_BESIDE} {...left} tickFormatter={tick} />
      {second !== undefined && (
        <YAxis {...AXIS_BESIDE} {...right} yAxisId="second" orientation="right" tickFormatter={tick} />
      )}
      {level !== undefined && <ReferenceLine y={level.value} stroke="var(--bad)" strokeDasharray="5 3" />}
      <ChartCurves spec={spec} rows={rows} overlays={overlays} floor={log?.[0] ?? -Infinity} />
      <Tooltip {...CROSSHAIR} content={<Values spec={spec} overlays={overlays} />} />
      {keyPlace !== null && (
        <Legend
          {...KEY}
          portal={keyPlace}
          formatter={(name: string) => {
            const curve = shown.find((each) => each.name === name);
            return (
              <>
                {overlays.length > 0 && <Dash curve={name} spec={spec} />}
                {name} <span className="number">{curve?.now}</span>
              </>
            );
          }}
        />
      )}
    </ComposedChart>
  );
});
