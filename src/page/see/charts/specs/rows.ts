/** Turns the values of a run into the rows that a chart draws. */
import { smoothed, USUAL_SMOOTHING } from '@rl-playground/base/smoothing';

export interface SeriesPoint {
  /** The position on the horizontal axis, ascending within a series. */
  readonly step: number;
  /** Null, NaN and infinities leave a gap. */
  readonly value: number | null;
}

/** The values of one curve. */
export interface Series {
  readonly points: readonly SeriesPoint[];
  readonly smooth?: boolean;
  /** Both ends of a band for each of `points`. */
  readonly bands?: readonly (readonly [low: number, high: number])[];
  readonly evaluations?: readonly SeriesPoint[];
  /** The evaluations of the greedy answers. */
  readonly greedy?: readonly SeriesPoint[];
}

/** The values of a curve at one position. */
export interface CurvePoint {
  readonly value?: number;
  readonly smooth?: number;
  /** Both ends of the band around the value, smoothed as the value is. */
  readonly band?: readonly [number, number];
  readonly evaluation?: number;
  readonly greedy?: number;
}

/** One position, with the curves in the order of the chart. */
export interface ChartRow {
  readonly step: number;
  readonly curves: readonly CurvePoint[];
}

/** The value of a curve that is drawn strongly: its moving average, if it has one. */
export const drawn =
  (curve: number) =>
  (row: ChartRow): number | undefined =>
    row.curves[curve]?.smooth ?? row.curves[curve]?.value;

/** The indices of at most `limit` points that keep the outline: the ends, and the lowest and highest point of each of equal buckets between them. */
export function outlineIndices(values: ArrayLike<number>, limit: number): number[] {
  if (values.length <= limit) return Array.from({ length: values.length }, (_, index) => index);
  const buckets = Math.max(1, Math.floor((limit - 2) / 2));
  const inner = values.length - 2;
  const kept = [0];
  for (let bucket = 0; bucket < buckets; bucket++) {
    const from = 1 + Math.floor((bucket * inner) / buckets);
    const to = 1 + Math.floor(((bucket + 1) * inner) / buckets);
    let low = from;
    let high = from;
    for (let index = from; index < to; index++) {
      if ((values[index] ?? 0) < (values[low] ?? 0)) low = index;
      if ((values[index] ?? 0) > (values[high] ?? 0)) high = index;
    }
    kept.push(...(low === high ? [low] : [Math.min(low, high), Math.max(low, high)]));
  }
  kept.push(values.length - 1);
  return kept;
}

const isFinite = (value: number | null | undefined): value is number =>
  value !== null && Number.isFinite(value);

/** The finite values of a series with their positions, in arrays of numbers, since a long run has ten thousand of them. */
interface Measured {
  readonly steps: Float64Array;
  readonly values: Float64Array;
  readonly averages: Float64Array | null;
  /** The low and the high ends of the bands, if there are bands. */
  readonly ends: readonly Float64Array[];
}

function measuredOf({ points, smooth = false, bands }: Series, beta: number): Measured {
  const [steps, values] = [new Float64Array(points.length), new Float64Array(points.length)];
  const ends = bands ? [new Float64Array(points.length), new Float64Array(points.length)] : [];
  let count = 0;
  points.forEach(({ step, value }, index) => {
    if (!isFinite(value)) return;
    steps[count] = step;
    values[count] = value;
    ends.forEach((end, which) => (end[count] = bands?.[index]?.[which] ?? value));
    count++;
  });
  const found = values.subarray(0, count);
  const isSmoothed = smooth && beta > 0;
  return {
    steps: steps.subarray(0, count),
    values: found,
    averages: isSmoothed ? smoothed(found, beta) : null,
    ends: ends.map((end) => (isSmoothed ? smoothed(end.subarray(0, count), beta) : end)),
  };
}

function pointAt({ values, averages, ends }: Measured, index: number): CurvePoint {
  const value = values[index] ?? 0;
  const smooth = averages?.[index];
  const [low, high] = ends.map((end) => end[index] ?? value);
  return {
    value,
    ...(smooth !== undefined && { smooth }),
    ...(low !== undefined && high !== undefined && { band: [low, high] as const }),
  };
}

/** The most rows of a chart, about as many as it has pixels for. Each costs recharts some kilobytes. */
const LIMIT = 240;

/** The most evaluations of a curve. */
const MOST_EVALUATIONS = 24;

interface RowOptions {
  /** The most rows. */
  readonly limit?: number;
  /** The strength of the moving averages; 0 for none. */
  readonly beta?: number;
}

/** Returns the rows in order of position. If there are more than `limit` values or evaluations, it keeps those that make the outline of every curve. */
export function chartRows(
  series: readonly Series[],
  { limit = LIMIT, beta = USUAL_SMOOTHING }: RowOptions = {},
): ChartRow[] {
  const each = Math.max(4, Math.floor(limit / Math.max(1, series.length)));
  const measured = series.map((one) => measuredOf(one, beta));
  const kept = new Set<number>();
  for (const { steps, values } of measured)
    for (const index of outlineIndices(values, each)) kept.add(steps[index] ?? 0);
  const rows = new Map<number, CurvePoint[]>();
  const add = (curve: number, step: number, point: CurvePoint): void => {
    const row = rows.get(step) ?? series.map(() => ({}));
    row[curve] = { ...row[curve], ...point };
    rows.set(step, row);
  };
  const positions = Float64Array.from(kept).sort();
  measured.forEach((found, curve) => {
    let index = 0;
    for (const position of positions) {
      while (index < found.steps.length && (found.steps[index] ?? 0) < position) index++;
      if (found.steps[index] === position) add(curve, position, pointAt(found, index));
    }
  });
  series.forEach(({ evaluations = [], greedy = [] }, curve) => {
    for (const [key, points] of [
      ['evaluation', evaluations],
      ['greedy', greedy],
    ] as const) {
      const { steps, values } = measuredOf({ points }, 0);
      for (const index of outlineIndices(values, MOST_EVALUATIONS))
        add(curve, steps[index] ?? 0, { [key]: values[index] });
    }
  });
  return [...rows].sort(([a], [b]) => a - b).map(([step, curves]) => ({ step, curves }));
}
