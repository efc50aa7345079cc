/** From what a run has measured to the rows that a chart draws. */

export interface SeriesPoint {
  /** Position on the horizontal axis. */
  readonly step: number;
  /** Null, NaN and infinities leave a gap. */
  readonly value: number | null;
}

/** What one curve is drawn from. */
export interface Series {
  readonly points: readonly SeriesPoint[];
  /** Whether it has its moving average. */
  readonly smooth?: boolean;
  readonly evaluations?: readonly SeriesPoint[];
  /** Of the likeliest answers. */
  readonly greedy?: readonly SeriesPoint[];
}

/** What a curve has at one position; a key is absent where there is nothing. */
export interface CurvePoint {
  readonly value?: number;
  readonly smooth?: number;
  readonly evaluation?: number;
  readonly greedy?: number;
}

/** One position, with the curves in the order of the chart. */
export interface ChartRow {
  readonly step: number;
  readonly curves: readonly CurvePoint[];
}

/**
 * Exponential moving average with bias correction: s_t = Σ β^(t−i) x_i / Σ β^(t−i), so that the first value is x_1
 * itself and a constant series stays constant.
 */
export function smoothed(values: readonly number[], beta = 0.8): number[] {
  let sum = 0;
  let weight = 0;
  return values.map((value) => {
    sum = beta * sum + value;
    weight = beta * weight + 1;
    return sum / weight;
  });
}

/**
 * Indices of at most `limit` points that keep the outline: the first, the last, and the lowest and highest of each
 * equal bucket in between.
 */
export function outlineIndices(values: readonly number[], limit: number): number[] {
  if (values.length <= limit) return values.map((_, index) => index);
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

function finite(points: readonly SeriesPoint[]): { readonly step: number; readonly value: number }[] {
  return points.flatMap(({ step, value }) =>
    value !== null && Number.isFinite(value) ? [{ step, value }] : [],
  );
}

/** Values of a long run that a chart draws: about as many as it has pixels for. Each costs recharts some kilobytes. */
const LIMIT = 240;

/**
 * Rows in order of position: where any curve has a value, but of more than `limit` values those alone that keep the outline of every
 * curve; and every evaluation.
 */
export function chartRows(series: readonly Series[], limit = LIMIT): ChartRow[] {
  const each = Math.max(4, Math.floor(limit / Math.max(1, series.length)));
  const kept = new Set<number>();
  const measured = series.map(({ points, smooth = false }) => {
    const found = finite(points);
    const values = found.map(({ value }) => value);
    for (const index of outlineIndices(values, each)) kept.add(found[index]?.step ?? 0);
    const averages = smooth ? smoothed(values) : [];
    return found.map(({ step, value }, index) => {
      const average = averages[index];
      return { step, point: average === undefined ? { value } : { value, smooth: average } };
    });
  });
  const rows = new Map<number, CurvePoint[]>();
  const add = (curve: number, step: number, point: CurvePoint): void => {
    const row = rows.get(step) ?? series.map(() => ({}));
    row[curve] = { ...row[curve], ...point };
    rows.set(step, row);
  };
  series.forEach(({ evaluations = [], greedy = [] }, curve) => {
    for (const { step, point } of measured[curve] ?? []) if (kept.has(step)) add(curve, step, point);
    for (const { step, value } of finite(evaluations)) add(curve, step, { evaluation: value });
    for (const { step, value } of finite(greedy)) add(curve, step, { greedy: value });
  });
  return [...rows].sort(([a], [b]) => a - b).map(([step, curves]) => ({ step, curves }));
}
