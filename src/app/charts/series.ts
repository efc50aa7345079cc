/** From step records to the rows that a chart draws. */

export interface SeriesPoint {
  readonly step: number;
  /** Null, NaN and infinities leave a gap. */
  readonly value: number | null;
}

function isNumber(value: number | null): value is number {
  return Number.isFinite(value);
}

/** One x position; a key is absent where that series has no point. */
export interface ChartRow {
  readonly step: number;
  raw?: number;
  smooth?: number;
  evaluation?: number;
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

/** Rows in order of step: raw and smoothed values downsampled to `limit`, every evaluation kept. `beta` 0: no smoothing. */
export function chartRows(
  points: readonly SeriesPoint[],
  evaluations: readonly SeriesPoint[] = [],
  { limit = 500, beta = 0.8 } = {},
): ChartRow[] {
  const finite = points.flatMap(({ step, value }) => (isNumber(value) ? [{ step, value }] : []));
  const values = finite.map((point) => point.value);
  const smooth = smoothed(values, beta);
  const rows = new Map<number, ChartRow>();
  for (const index of outlineIndices(values, limit)) {
    const point = finite[index];
    if (point === undefined) continue;
    rows.set(point.step, { step: point.step, raw: point.value, smooth: smooth[index] ?? point.value });
  }
  for (const { step, value } of evaluations) {
    if (!isNumber(value)) continue;
    rows.set(step, { ...(rows.get(step) ?? { step }), evaluation: value });
  }
  return [...rows.values()].sort((a, b) => a.step - b.step);
}
