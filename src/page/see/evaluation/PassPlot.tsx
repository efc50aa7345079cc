/** The curves of pass@k over k on a log axis as recharts draws them, with their values under the crosshair. */
import { memo, useMemo, type ReactNode } from 'react';
import {
  Area,
  CartesianGrid,
  ComposedChart,
  Legend,
  Line,
  Tooltip,
  useActiveTooltipDataPoints,
  XAxis,
  YAxis,
} from 'recharts';
import type { PassPoint } from '@rl-playground/run/metrics';
import {
  AREA,
  AXIS_BELOW,
  AXIS_BESIDE,
  CROSSHAIR,
  dots,
  GRID,
  KEY,
  LINE,
  MARGIN,
  ValueBox,
} from '../charts/parts.tsx';
import { percent } from '../../ui/text/format.ts';

const SHARES = { domain: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1] } as const;

export interface PassCurve {
  readonly name: string;
  readonly colour: string;
  readonly dash: string;
  readonly points: readonly PassPoint[];
}

interface Row {
  readonly k: number;
  readonly points: readonly (PassPoint | undefined)[];
}

/** The ticks 1, 2, 4, … and the last k. */
function ticksUpTo(most: number): number[] {
  const powers = Array.from({ length: Math.ceil(Math.log2(most)) }, (_, i) => 2 ** i);
  return [...powers, most];
}

function shareOf({ accuracy, interval }: Partial<PassPoint> = {}): string {
  const range = interval ? ` (${percent(interval.low)} to ${percent(interval.high)})` : '';
  return `${percent(accuracy)}${range}`;
}

function Values({ curves }: Pick<PassPlotProps, 'curves'>): ReactNode {
  const [row] = useActiveTooltipDataPoints<Row>() ?? [];
  if (row === undefined) return null;
  const lines = curves.map(({ name }, i) => [name, shareOf(row.points[i])] as const);
  return <ValueBox title={`pass@${row.k}`} lines={lines} />;
}

interface PassPlotProps {
  readonly width: number;
  readonly height: number;
  readonly curves: readonly PassCurve[];
  /** The element that recharts fills with the key. */
  readonly keyPlace: HTMLElement | null;
}

export const PassPlot = memo(function PassPlot({ curves, keyPlace, ...size }: PassPlotProps): ReactNode {
  const { rows, below } = useMemo(() => {
    const most = Math.max(...curves.map(({ points }) => points.length));
    return {
      rows: Array.from({ length: most }, (_, i): Row => ({
        k: i + 1,
        points: curves.map(({ points }) => points[i]),
      })),
      below: { domain: [1, most] as const, ticks: ticksUpTo(most) },
    };
  }, [curves]);
  return (
    <ComposedChart {...size} data={rows} margin={MARGIN} aria-label="pass@k, by the arrow keys">
      <CartesianGrid {...GRID} />
      <XAxis
        {...AXIS_BELOW}
        {...below}
        dataKey="k"
        scale="log"
        tickFormatter={(k: number) => (k === 1 ? 'k = 1' : String(k))}
      />
      <YAxis {...AXIS_BESIDE} {...SHARES} tickFormatter={(share: number) => percent(share, 0)} />
      {curves.map(({ name, colour }, i) => (
        <Area
          {...AREA}
          key={name}
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
          {...LINE}
          key={name}
          dataKey={({ points }: Row) => points[i]?.accuracy}
          name={name}
          legendType="plainline"
          stroke={colour}
          strokeWidth={2}
          strokeDasharray={dash}
          dot={dots(2.5, colour)}
        />
      ))}
      <Tooltip {...CROSSHAIR} content={<Values curves={curves} />} />
      {keyPlace !== null && <Legend {...KEY} portal={keyPlace} />}
    </ComposedChart>
  );
});
