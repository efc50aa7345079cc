/** Means, spreads and extremes of plain numbers. Each function says what it gives for none of them. */

/** The sum, taken from first to last, by the count; NaN of nothing. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** As `mean`, but null of nothing. */
export function meanOrNull(values: readonly number[]): number | null {
  return values.length === 0 ? null : mean(values);
}

/** The mean, summed as distances from the first value, so that equal values have exactly themselves as theirs. NaN of nothing. */
export function exactMean(values: readonly number[]): number {
  const first = values[0] ?? NaN;
  return first + values.reduce((sum, value) => sum + (value - first), 0) / values.length;
}

/** Unbiased standard deviation (divides by n − 1); 0 of a single value and of nothing. */
export function standardDeviation(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const centre = exactMean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1));
}

/** Null of nothing. */
export function least(values: readonly number[]): number | null {
  return values.reduce<number | null>((low, value) => (low === null || value < low ? value : low), null);
}

/** Null of nothing. */
export function greatest(values: readonly number[]): number | null {
  return values.reduce<number | null>((high, value) => (high === null || value > high ? value : high), null);
}

/** Middle value; the mean of the two middle ones for an even count. @throws on an empty list. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  const lower = sorted[sorted.length % 2 === 0 ? middle - 1 : middle];
  if (upper === undefined || lower === undefined) throw new Error('There is no median of no values.');
  return (lower + upper) / 2;
}
