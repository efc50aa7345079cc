/** The curves of a chart over the steps, for recharts to draw. */
import { memo, useMemo, type ReactNode } from 'react';
import { Area, Curve, Dot, Line, useXAxisScale, useYAxisScale, type CurveProps } from 'recharts';
import { DASHES, type Overlay } from './stepSeries.ts';
import { AREA, dots, LINE } from './parts.tsx';
import { drawn, type ChartRow, type CurvePoint } from './specs/rows.ts';
import type { ChartSpec } from './specs/spec.ts';

type Reader = (row: ChartRow) => number | undefined;

const readers = new Map<string, (row: ChartRow) => CurvePoint[keyof CurvePoint]>();

/** The same function each time, because recharts computes a curve anew for another one. */
function reader<What extends keyof CurvePoint>(
  curve: number,
  what: What,
): (row: ChartRow) => CurvePoint[What] {
  const name = `${curve} ${what}`;
  const read =
    (readers.get(name) as ((row: ChartRow) => CurvePoint[What]) | undefined) ??
    (({ curves }) => curves[curve]?.[what]);
  readers.set(name, read);
  return read;
}

interface InPlot {
  readonly rows: readonly ChartRow[];
  readonly read: Reader;
}

/** The positions of the values of some rows, in pixels. */
function usePlaces({ rows, read }: InPlot): readonly { readonly x: number; readonly y: number }[] {
  const x = useXAxisScale();
  const y = useYAxisScale();
  return useMemo(
    () =>
      rows.flatMap((row) => {
        const value = read(row);
        const [at, height] = value === undefined ? [] : [x?.(row.step), y?.(value)];
        return at === undefined || height === undefined ? [] : [{ x: at, y: height }];
      }),
    [rows, read, x, y],
  );
}

interface StrokeProps extends InPlot, Omit<CurveProps, 'points'> {
  /** The radius of a dot at each value. Without it there are no dots. */
  readonly radius?: number;
}

/**
 * A line without a place in the key and without a dot under the crosshair. A `Line` of recharts keeps a record of each point for labels,
 * crosshair and animation, and a second one for the moving average would double the time of a drawing.
 */
function Stroke({ rows, read, radius, ...line }: StrokeProps): ReactNode {
  const places = usePlaces({ rows, read });
  return (
    <>
      <Curve type="linear" layout="horizontal" fill="none" {...line} points={places} />
      {radius !== undefined &&
        places.map(({ x, y }) => <Dot key={x} cx={x} cy={y} r={radius} fill={line.stroke} />)}
    </>
  );
}

/** A diamond for each evaluation. */
function Diamonds({ colour, ...values }: InPlot & { readonly colour: string | undefined }): ReactNode {
  return usePlaces(values).map(({ x, y }) => (
    <path
      key={x}
      d={`M${x} ${y - 5.5}l5.5 5.5l-5.5 5.5l-5.5 -5.5Z`}
      fill="var(--panel)"
      stroke={colour}
      strokeWidth={2}
    />
  ));
}

const ACTIVE = { r: 3, stroke: 'var(--panel)', strokeWidth: 1 };

/** Finds the parts that a curve has anywhere. A curve with a single value is drawn as a dot. */
function presentIn(rows: readonly ChartRow[], curve: number) {
  const points = rows.map(({ curves }) => curves[curve] ?? {});
  const has = (what: keyof CurvePoint): boolean => points.some((point) => point[what] !== undefined);
  return {
    has,
    legendType: has('value') ? 'plainline' : 'none',
    isAlone: points.filter(({ value }) => value !== undefined).length === 1,
  } as const;
}

interface BandProps {
  readonly className: string;
  readonly rows: readonly ChartRow[];
  readonly index: number;
  readonly colour: string | undefined;
  readonly opacity: number;
}

/** The band around a curve that has one. */
function Band({ className, rows, index, colour, opacity }: BandProps): ReactNode {
  return (
    presentIn(rows, index).has('band') && (
      <Area
        {...AREA}
        className={className}
        dataKey={reader(index, 'band')}
        stroke="none"
        fill={colour}
        fillOpacity={opacity}
      />
    )
  );
}

interface CurveOfProps {
  readonly spec: ChartSpec;
  readonly rows: readonly ChartRow[];
  readonly index: number;
}

/** A curve of the current run: faint as it was measured, strong as its moving average, with its band and its evaluations. */
function OwnCurve({ spec: { curves, shape }, rows, index }: CurveOfProps): ReactNode {
  const { name, colour } = curves[index] ?? {};
  const { has, legendType, isAlone } = presentIn(rows, index);
  const smooth = has('smooth');
  const shared = { rows, stroke: colour };
  return (
    <>
      <Band className="chart-band" rows={rows} index={index} colour={colour} opacity={0.2} />
      <Line
        {...LINE}
        name={name}
        legendType={legendType}
        dataKey={reader(index, 'value')}
        data-line="measured"
        stroke={colour}
        strokeWidth={smooth ? 1 : 1.6}
        strokeOpacity={smooth ? (curves.length > 1 ? 0.3 : 0.45) : 1}
        activeDot={ACTIVE}
        dot={isAlone && dots(3.5, colour)}
      />
      {smooth && (
        <Stroke
          {...shared}
          read={reader(index, 'smooth')}
          data-line="smoothed"
          strokeWidth={shape === 'smoothed' ? 2.2 : 1.7}
        />
      )}
      {has('greedy') && (
        <Stroke
          {...shared}
          read={reader(index, 'greedy')}
          data-line="greedy"
          strokeWidth={1.2}
          strokeDasharray="5 4"
          radius={2.2}
        />
      )}
      {has('evaluation') && <Diamonds {...shared} read={reader(index, 'evaluation')} colour={colour} />}
    </>
  );
}

/** A layer of a stack, on the sum of those before it. */
function Layer({ spec: { curves }, rows, index }: CurveOfProps): ReactNode {
  const { name, colour } = curves[index] ?? {};
  const { legendType, isAlone } = presentIn(rows, index);
  return (
    <Area
      {...AREA}
      stackId="layers"
      name={name}
      legendType={legendType}
      dataKey={reader(index, 'value')}
      stroke={colour}
      fill={colour}
      fillOpacity={0.35}
      dot={isAlone && dots(3, colour)}
    />
  );
}

/** A curve of another run: its moving average, and the interval of several seeds as a band. */
function OtherCurve(props: CurveOfProps & { readonly overlay: Overlay }): ReactNode {
  const { overlay, spec, rows, index } = props;
  const { colour, pinned } = overlay;
  const place = overlay.index + index;
  const mean = useMemo(() => drawn(place), [place]);
  return (
    <>
      <Band className="chart-interval" rows={rows} index={place} colour={colour} opacity={0.16} />
      <Stroke
        rows={rows}
        read={mean}
        data-line="other"
        stroke={colour}
        strokeWidth={pinned ? 2.2 : 1.5}
        strokeDasharray={spec.curves.length === 1 ? (pinned ? '7 3' : '') : DASHES[index % DASHES.length]}
      />
    </>
  );
}

interface ChartCurvesProps extends Omit<CurveOfProps, 'index'> {
  readonly overlays: readonly Overlay[];
}

/** The curves of the current run on top of those of others. */
export const ChartCurves = memo(function ChartCurves({ overlays, ...own }: ChartCurvesProps): ReactNode {
  const { curves, shape } = own.spec;
  const Own = shape === 'stack' ? Layer : OwnCurve;
  return (
    <>
      {overlays.flatMap((overlay) =>
        curves.map(({ name }, index) => (
          <OtherCurve key={`${overlay.index} ${name}`} {...own} overlay={overlay} index={index} />
        )),
      )}
      {curves.map(({ name }, index) => (
        <Own key={name} {...own} index={index} />
      ))}
    </>
  );
});
