/** Curves over the steps of a run as the shapes of an SVG. These are numbers alone, so that it runs anywhere. */
import { niceDomain, stepTicks, ticksWithin } from '@rl-playground/base/roundAxis';
import { smoothed } from '@rl-playground/base/smoothing';

export interface PlotPoint {
  readonly step: number;
  /** The curve has a gap at null, NaN and infinities. */
  readonly value: number | null;
}

export interface PlotLine {
  readonly name: string;
  readonly colour: string;
  readonly points: readonly PlotPoint[];
  /** The ends of an interval around the points. */
  readonly interval?: { readonly low: readonly PlotPoint[]; readonly high: readonly PlotPoint[] };
  /** Single measurements, drawn as diamonds. */
  readonly marks?: readonly PlotPoint[];
}

export interface PlotOptions {
  /** The size of the whole drawing in pixels. */
  readonly width: number;
  readonly height: number;
  /** The least range of the vertical axis; null leaves an end to the values. */
  readonly range: readonly [number | null, number | null];
  readonly lastStep: number;
}

const EDGE = { left: 46, right: 10, top: 8, bottom: 22 } as const;
const STEP_TICKS = 5;

interface Known {
  readonly step: number;
  readonly value: number;
}

const known = (points: readonly PlotPoint[]): Known[] =>
  points.flatMap(({ step, value }) => (value !== null && Number.isFinite(value) ? [{ step, value }] : []));

/** The axis from the least to the greatest value. */
function domainOf(lines: readonly PlotLine[], [low, high]: PlotOptions['range']): [number, number] {
  const values = lines.flatMap(({ points, marks = [], interval }) =>
    known([...points, ...marks, ...(interval ? [...interval.low, ...interval.high] : [])]).map(
      ({ value }) => value,
    ),
  );
  const least = values.reduce((a, b) => Math.min(a, b), low ?? Infinity);
  const most = values.reduce((a, b) => Math.max(a, b), high ?? -Infinity);
  return niceDomain(least, most);
}

/** The shapes of some curves. A curve of a single value is a dot: a line of no length with round ends. */
export function plotOf(lines: readonly PlotLine[], { width, height, range, lastStep }: PlotOptions) {
  const { left, top } = EDGE;
  const [right, bottom] = [width - EDGE.right, height - EDGE.bottom];
  const domain = domainOf(lines, range);
  const [low, high] = domain;
  const rounded = (value: number): number => Number(value.toFixed(1));
  const x = (step: number): number => rounded(left + ((right - left) * step) / Math.max(1, lastStep));
  const y = (value: number): number => rounded(bottom - ((bottom - top) * (value - low)) / (high - low));
  const path = (points: readonly Known[]): string =>
    points.map(({ step, value }, i) => `${i === 0 ? 'M' : 'L'}${x(step)} ${y(value)}`).join('') +
    (points.length === 1 ? 'h0' : '');
  const drawn = lines.map(({ colour, points, interval, marks = [] }) => {
    const found = known(points);
    const averages = smoothed(found.map(({ value }) => value));
    const around = interval && [...known(interval.high), ...known(interval.low).toReversed()];
    return {
      colour,
      measured: path(found),
      average: path(found.map(({ step }, i) => ({ step, value: averages[i] ?? 0 }))),
      area: around && around.length > 0 ? `${path(around)}Z` : '',
      marks: known(marks).map(({ step, value }) => ({ x: x(step), y: y(value) })),
    };
  });
  return {
    left,
    right,
    bottom,
    lines: drawn,
    steps: stepTicks(lastStep, STEP_TICKS).map((step) => ({ x: x(step), step })),
    values: ticksWithin(domain).map((value) => ({ y: y(value), value })),
  };
}
