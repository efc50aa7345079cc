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
import type { SftSpan } from './axes.ts';
import { ChartCurves } from './ChartCurves.tsx';
import { domainOf } from './domains.ts';
import { DASHES, type Overlay } from './stepSeries.ts';
import { AXIS_BELOW, AXIS_BESIDE, CROSSHAIR, GRID, KEY, MARGIN, TICK } from './parts.tsx';
import { drawn, type ChartRow } from './specs/rows.ts';
import type { ChartSpec, CurveNow } from './specs/spec.ts';
import classes from './charts.module.css';

const STEP_TICKS = 5;

const stepText = (step: number): string => (step === 0 ? 'step 0' : count(step));

type NamedValue = readonly [name: string, value: number | null | undefined];

/** The values of the current run at a position. A smoothed curve also has those of its average and its evaluation. */
const ownValues = ({ shape, curves }: ChartSpec, row: ChartRow): readonly NamedValue[] =>
  curves.flatMap(({ name }, index): NamedValue[] => {
    const { value, smooth, evaluation, greedy } = row.curves[index] ?? {};
    if (shape !== 'smoothed') return [[name, value ?? null]];
    return [
      [name, value],
      ['smoothed', smooth],
      ['held-out, sampled', evaluation],
      ['held-out, greedy', greedy],
    ];
  });

/** The values where somebody points or has come by the arrow keys. */
function Values({ spec, overlays }: Pick<ChartPlotProps, 'spec' | 'overlays'>): ReactNode {
  const [row] = useActiveTooltipDataPoints<ChartRow>() ?? [];
  if (row === undefined) return null;
  const { curves, format, axis } = spec;
  const others = overlays.flatMap(({ name, index }) =>
    curves.map((curve, i): NamedValue => [
      curves.length > 1 ? `${name}, ${curve.name}` : name,
      drawn(index + i)(row),
    ]),
  );
  return (
    <div className={classes.tooltip} aria-live="polite">
      <b>{axis?.at(row.step) ?? (row.step < 0 ? 'Warm-up' : `Step ${row.step}`)}</b>
      {[...ownValues(spec, row), ...others].map(
        ([name, value]) =>
          value !== undefined && (
            <div key={name} className="row apart">
              <span>{name}</span>
              <span className="number">{format(value)}</span>
            </div>
          ),
      )}
    </div>
  );
}

/** The dashes of a curve in other runs. */
function Dash({ curve, spec }: { readonly curve: string; readonly spec: ChartSpec }): ReactNode {
  const place = spec.curves.findIndex(({ name }) => name === curve);
  return (
    <svg aria-hidden="true" width="30" height="8" viewBox="0 -1 30 8">
      <path
        d="M0 4h26"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeDasharray={DASHES[place % DASHES.length]}
      />
    </svg>
  );
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
  const { spec, rows, overlays, lastStep, span, width, height, keyPlace, shown } = props;
  const { level, tick, axis } = spec;
  const [low, high] = useMemo(() => domainOf(spec, rows), [spec, rows]);
  // An axis stays the same object while its ends do, because recharts computes the whole chart anew for another one.
  const left = useMemo(
    () => ({ domain: [low, high] as const, ticks: ticksWithin([low, high]) }),
    [low, high],
  );
  const below = useMemo(() => {
    // Steps have a beginning, step 0; other things are counted from 1.
    const first = axis === undefined ? -span.width : 1;
    const ticks = stepTicks(lastStep, STEP_TICKS).filter((tick) => tick >= first);
    return {
      domain: [first, lastStep] as const,
      ticks,
      tickFormatter: axis === undefined ? stepText : count,
    };
  }, [axis, span, lastStep]);
  return (
    <ComposedChart
      width={width}
      height={height}
      data={rows}
      margin={MARGIN}
      aria-label={`${spec.title}, by the arrow keys`}
      // One crosshair through all charts over steps.
      {...(axis === undefined && { syncId: 'steps', syncMethod: 'value' })}
    >
      <Grid />
      <XAxis {...AXIS_BELOW} {...below} dataKey="step" />
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
          <ReferenceLine x={0} stroke="var(--line-strong)" strokeWidth={1.5} />
        </>
      )}
      <YAxis {...AXIS_BESIDE} {...left} tickFormatter={tick} />
      {level !== undefined && <ReferenceLine y={level.value} stroke="var(--bad)" strokeDasharray="5 3" />}
      <ChartCurves spec={spec} rows={rows} overlays={overlays} />
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
