/** The curves of a chart as paths. */
import type { ReactNode } from 'react';
import { SERIES_PER_ARM } from '../compare/armSeries.ts';
import type { PowerAxis } from './axes.ts';
import { DASHES, type Overlay } from './overlay.ts';
import { drawn, type ChartRow, type CurvePoint } from './rows.ts';
import { pixel, scaleOfCurve, type Plot, type Scale } from './scales.ts';
import type { ChartSpec } from './spec.ts';
import classes from './charts.module.css';

type Reader<Value> = (row: ChartRow) => Value | undefined;

const pointOf =
  (curve: number, what: 'value' | 'evaluation' | 'greedy'): Reader<number> =>
  (row) =>
    row.curves[curve]?.[what];

/** A line through the rows that have a value; what lies between two of them is bridged. */
function lineThrough(rows: readonly ChartRow[], read: Reader<number>, x: Scale, y: Scale): string {
  let path = '';
  for (const row of rows) {
    const value = read(row);
    if (value === undefined) continue;
    path += `${path === '' ? 'M' : 'L'}${pixel(x(row.step))} ${pixel(y(value))}`;
  }
  return path;
}

/** The area between two lines over the rows that have both. */
function areaBetween(
  rows: readonly ChartRow[],
  read: Reader<readonly [number, number]>,
  x: Scale,
  y: Scale,
): string {
  const known = rows.flatMap((row) => {
    const ends = read(row);
    return ends === undefined
      ? []
      : [{ at: pixel(x(row.step)), low: pixel(y(ends[0])), high: pixel(y(ends[1])) }];
  });
  if (known.length === 0) return '';
  const top = known.map(({ at, high }) => `${at} ${high}`);
  const bottom = known.map(({ at, low }) => `${at} ${low}`).reverse();
  return `M${[...top, ...bottom].join('L')}Z`;
}

interface Marks {
  readonly rows: readonly ChartRow[];
  readonly read: Reader<number>;
  readonly x: Scale;
  readonly y: Scale;
  readonly colour: string;
}

function Dots({ rows, read, x, y, colour, radius }: Marks & { readonly radius: number }): ReactNode {
  return rows.map((row) => {
    const value = read(row);
    return value === undefined ? null : (
      <circle key={row.step} cx={x(row.step)} cy={y(value)} r={radius} fill={colour} stroke="none" />
    );
  });
}

function Diamonds({ rows, read, x, y, colour }: Marks): ReactNode {
  return rows.map((row) => {
    const value = read(row);
    if (value === undefined) return null;
    const [cx, cy] = [x(row.step), y(value)];
    const d = `M${cx} ${cy - 5.5}L${cx + 5.5} ${cy}L${cx} ${cy + 5.5}L${cx - 5.5} ${cy}Z`;
    return <path key={row.step} d={d} fill="var(--panel)" stroke={colour} strokeWidth={2} />;
  });
}

interface CurvesProps {
  readonly spec: ChartSpec;
  readonly rows: readonly ChartRow[];
  readonly overlays: readonly Overlay[];
  readonly log: PowerAxis | null;
  readonly plot: Plot;
}

interface CurveProps extends Omit<CurvesProps, 'overlays'> {
  readonly index: number;
}

/** Faint as it was measured, strong as its moving average, with its band, and diamonds for evaluations. */
function LineCurve({ spec, rows, index, log, plot }: CurveProps): ReactNode {
  const curve = spec.curves[index];
  if (curve === undefined) return null;
  const x = plot.step;
  const y = scaleOfCurve(plot, index);
  const { colour } = curve;
  const has = (what: keyof CurvePoint): number =>
    rows.filter(({ curves }) => curves[index]?.[what] !== undefined).length;
  const smooth = has('smooth') > 0;
  const floor = log?.domain[0] ?? -Infinity;
  const band = areaBetween(
    rows,
    ({ curves }) => {
      const ends = curves[index]?.band;
      return ends && [Math.max(floor, ends[0]), Math.max(floor, ends[1])];
    },
    x,
    y,
  );
  const marks = { rows, x, y, colour };
  return (
    <g fill="none" stroke={colour}>
      {band !== '' && <path className="chart-band" d={band} fill={colour} fillOpacity={0.2} stroke="none" />}
      {smooth && (
        <path
          className="chart-line"
          data-line="measured"
          d={lineThrough(rows, pointOf(index, 'value'), x, y)}
          strokeWidth={1}
          strokeOpacity={spec.curves.length > 1 ? 0.3 : 0.45}
        />
      )}
      <path
        className="chart-line"
        data-line={smooth ? 'smoothed' : 'measured'}
        d={lineThrough(rows, drawn(index), x, y)}
        strokeWidth={smooth ? (spec.shape === 'smoothed' ? 2.2 : 1.7) : 1.6}
      />
      {has('value') === 1 && <Dots {...marks} read={drawn(index)} radius={3.5} />}
      {curve.greedy !== undefined && (
        <>
          <path
            className="chart-line"
            data-line="greedy"
            d={lineThrough(rows, pointOf(index, 'greedy'), x, y)}
            strokeWidth={1.2}
            strokeDasharray="5 4"
          />
          <Dots {...marks} read={pointOf(index, 'greedy')} radius={2.2} />
        </>
      )}
      {curve.evaluation !== undefined && <Diamonds {...marks} read={pointOf(index, 'evaluation')} />}
    </g>
  );
}

/** The layers of a stack, each on the sum of those before it. */
function Layers({ spec: { curves }, rows, plot }: Pick<CurveProps, 'spec' | 'rows' | 'plot'>): ReactNode {
  const { step: x, left: y } = plot;
  const sums = (row: ChartRow, upTo: number): number | undefined =>
    row.curves
      .slice(0, upTo)
      .reduce<number | undefined>((sum, { value }) => (sum ?? 0) + (value ?? 0), undefined);
  return curves.map(({ name, colour }, index) => {
    const known = rows.filter((row) => row.curves[index]?.value !== undefined);
    const top: Reader<number> = (row) => sums(row, index + 1);
    const ends: Reader<readonly [number, number]> = (row) => [sums(row, index) ?? 0, top(row) ?? 0];
    return (
      <g key={name} fill="none" stroke={colour}>
        <path
          className="chart-layer"
          d={areaBetween(known, ends, x, y)}
          fill={colour}
          fillOpacity={0.35}
          stroke="none"
        />
        <path className="chart-line" d={lineThrough(known, top, x, y)} strokeWidth={1} />
        {known.length === 1 && <Dots rows={known} read={top} x={x} y={y} colour={colour} radius={3} />}
      </g>
    );
  });
}

/** Another run: its moving averages, and the intervals of several seeds as bands. */
function OtherRun({
  overlay,
  spec,
  rows,
  log,
  plot: { step: x, left: y },
}: Omit<CurvesProps, 'overlays'> & { overlay: Overlay }): ReactNode {
  const { colour, pinned, index, plays } = overlay;
  const floor = log?.domain[0] ?? -Infinity;
  const alone = spec.curves.length === 1;
  return spec.curves.map(({ name }, i) => {
    const series = index + i * SERIES_PER_ARM;
    const interval: Reader<readonly [number, number]> = (row) => {
      const [low, high] = [drawn(series + 1)(row), drawn(series + 2)(row)];
      return low === undefined || high === undefined
        ? undefined
        : [Math.max(floor, low), Math.max(floor, high)];
    };
    return (
      <g
        key={`${name} ${plays}`}
        className={plays === undefined ? undefined : classes.playing}
        fill="none"
        stroke={colour}
      >
        <path
          className="chart-interval"
          d={areaBetween(rows, interval, x, y)}
          fill={colour}
          fillOpacity={0.16}
          stroke="none"
        />
        <path
          className="chart-line"
          data-line="other"
          stroke={colour}
          d={lineThrough(rows, drawn(series), x, y)}
          strokeWidth={pinned ? 2.2 : 1.5}
          strokeDasharray={alone ? (pinned ? '7 3' : '') : DASHES[i % DASHES.length]}
        />
      </g>
    );
  });
}

export function Curves({ overlays, ...curves }: CurvesProps): ReactNode {
  const { spec } = curves;
  return (
    <>
      {overlays.map((overlay) => (
        <OtherRun key={overlay.index} overlay={overlay} {...curves} />
      ))}
      {spec.shape === 'stack' ? (
        <Layers {...curves} />
      ) : (
        spec.curves.map(({ name }, index) => <LineCurve key={name} index={index} {...curves} />)
      )}
    </>
  );
}
