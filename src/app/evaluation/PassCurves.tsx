/** pass@k over k, before and after: the more draws, the more problems have a right one among them. */
import { useMemo, useRef, type ReactNode } from 'react';
import {
  Area,
  CartesianGrid,
  ComposedChart,
  Line,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import { passCurve, type PassPoint } from '../../rl/metrics/passAtK.ts';
import { TICK } from '../charts/axes.ts';
import { ChartMenu } from '../charts/ChartMenu.tsx';
import type { Table } from '../charts/csv.ts';
import { percent } from '../format/format.ts';
import { useApp } from '../store.ts';
import charts from '../charts/charts.module.css';
import classes from './evaluation.module.css';

const HEIGHT = 190;
/** Pixels of the first frame, before the panel is measured. */
const FIRST_WIDTH = 320;
const UNIT = 'share of problems with a right answer among k draws, over k';
const CURVE = { isAnimationActive: false, type: 'linear', activeDot: false } as const;

interface Curve {
  readonly name: string;
  readonly colour: string;
  readonly dash: string;
  readonly points: readonly PassPoint[];
}

/** All curves at one k. */
interface Row {
  readonly k: number;
  readonly points: readonly (PassPoint | undefined)[];
}

/** Of the first evaluation that has draws for it, and of the last. */
function useCurves(): readonly Curve[] {
  const evaluations = useApp((state) => state.snapshot.evaluations);
  return useMemo(() => {
    const drawn = evaluations.filter(({ passAtK }) => passAtK !== undefined);
    const [first, last] = [drawn[0], drawn.at(-1)];
    return [
      ...(first
        ? [
            {
              name: first.step <= 0 ? 'before' : `step ${first.step}`,
              colour: 'var(--series-other)',
              dash: '5 3',
              points: passCurve(first),
            },
          ]
        : []),
      ...(last && last !== first
        ? [
            {
              name: `step ${last.step}`,
              colour: 'var(--series-accuracy)',
              dash: '',
              points: passCurve(last),
            },
          ]
        : []),
    ];
  }, [evaluations]);
}

/** 1, 2, 4, … and the last k. */
function ticksUpTo(most: number): number[] {
  const powers = Array.from({ length: Math.ceil(Math.log2(most)) }, (_, i) => 2 ** i);
  return [...powers, most];
}

interface CrosshairProps {
  readonly curves: readonly Curve[];
  /** Given by recharts. */
  readonly active?: boolean;
  readonly payload?: readonly { readonly payload?: Row }[];
}

function Crosshair({ curves, active, payload }: CrosshairProps): ReactNode {
  const row = payload?.[0]?.payload;
  if (active !== true || row === undefined) return null;
  return (
    <div className={charts.tooltip}>
      <div className={charts.tooltipStep}>pass@{row.k}</div>
      {curves.map(({ name }, i) => {
        const point = row.points[i];
        const range =
          point?.interval && ` (${percent(point.interval.low)} to ${percent(point.interval.high)})`;
        return (
          <div key={name} className={charts.tooltipLine}>
            <span>{name}</span>
            <span className="number">
              {percent(point?.accuracy)}
              {range}
            </span>
          </div>
        );
      })}
    </div>
  );
}

/** Nothing until there are at least two draws of each problem. */
export function PassCurves(): ReactNode {
  const curves = useCurves();
  const figure = useRef<HTMLElement>(null);
  const most = Math.max(0, ...curves.map(({ points }) => points.length));
  if (most < 2) return null;
  const rows = Array.from({ length: most }, (_, i): Row => ({
    k: i + 1,
    points: curves.map(({ points }) => points[i]),
  }));
  const table = (): Table => ({
    columns: ['k', ...curves.flatMap(({ name }) => [name, `${name}, low`, `${name}, high`])],
    rows: rows.map(({ k, points }) => [
      k,
      ...points.flatMap((point) => [
        point?.accuracy ?? null,
        point?.interval?.low ?? null,
        point?.interval?.high ?? null,
      ]),
    ]),
  });
  const spoken = curves.map(({ name, points }) => {
    const ends = [points[0], points.at(-1)].map((point) => `pass@${point?.k} ${percent(point?.accuracy)}`);
    return `${name}: ${ends.join(', ')}`;
  });
  return (
    <figure
      ref={figure}
      className={classes.passCurves}
      aria-label={`pass@k. ${spoken.join('. ')}.`}
      data-testid="pass-at-k"
    >
      <figcaption className={charts.caption}>
        <span className={charts.names}>
          <span className={classes.label}>pass@k</span>
          <span className={charts.unit}>{UNIT}</span>
        </span>
        <ChartMenu
          spec={{ id: 'pass-at-k', title: 'pass@k', unit: UNIT, pinnable: false, curves }}
          figure={figure}
          table={table}
        />
      </figcaption>
      <ResponsiveContainer
        width="100%"
        height={HEIGHT}
        initialDimension={{ width: FIRST_WIDTH, height: HEIGHT }}
      >
        <ComposedChart data={rows} margin={{ top: 8, right: 14, bottom: 0, left: 0 }}>
          <CartesianGrid stroke="var(--line)" strokeDasharray="2 4" vertical={false} />
          <XAxis
            dataKey="k"
            type="number"
            scale="log"
            domain={[1, most]}
            ticks={ticksUpTo(most)}
            tick={TICK}
            tickLine={false}
            stroke="var(--line-strong)"
            height={24}
            tickFormatter={(k: number) => (k === 1 ? 'k = 1' : String(k))}
          />
          <YAxis
            domain={[0, 1]}
            ticks={[0, 0.25, 0.5, 0.75, 1]}
            tick={TICK}
            tickLine={false}
            axisLine={false}
            width={46}
            tickFormatter={(share: number) => percent(share, 0)}
          />
          <Tooltip
            isAnimationActive={false}
            cursor={{ stroke: 'var(--line-strong)', strokeDasharray: '3 3' }}
            content={<Crosshair curves={curves} />}
          />
          {curves.map(({ name, colour }, i) => (
            <Area
              {...CURVE}
              key={`${name}, interval`}
              dataKey={({ points }: Row) => {
                const interval = points[i]?.interval;
                return interval ? [interval.low, interval.high] : undefined;
              }}
              stroke="none"
              fill={colour}
              fillOpacity={0.16}
            />
          ))}
          {curves.map(({ name, colour, dash }, i) => (
            <Line
              {...CURVE}
              key={name}
              dataKey={({ points }: Row) => points[i]?.accuracy}
              name={name}
              stroke={colour}
              strokeWidth={2}
              strokeDasharray={dash}
              dot={{ r: 2.5, fill: colour, strokeWidth: 0 }}
            />
          ))}
        </ComposedChart>
      </ResponsiveContainer>
      <p className={charts.key}>
        {curves.map(({ name, colour }) => (
          <span key={name}>
            <span className={charts.swatch} style={{ background: colour }} />
            {name}
          </span>
        ))}
        <span>
          If only the left end rises, the model answers more reliably what it could answer before. If the
          right end rises too, it solves new problems.
        </span>
      </p>
    </figure>
  );
}
