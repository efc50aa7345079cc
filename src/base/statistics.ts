/** Means, spreads and extremes of plain numbers. Each function says what it returns for an empty list. */

/** The sum, taken from first to last, divided by the count; NaN for an empty list. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The mean, or null for an empty list. */
export function meanOrNull(values: readonly number[]): number | null {
  return values.length === 0 ? null : mean(values);
}

/**
 * The mean as the first value plus the mean distance from it, so that the mean of equal values is exactly that value.
 * NaN for an empty list.
 */
export function exactMean(values: readonly number[]): number {
  const first = values[0] ?? NaN;
  return first + values.reduce((sum, value) => sum + (value - first), 0) / values.length;
}

/** The unbiased standard deviation (divides by n − 1); 0 for a single value and for an empty list. */
export function standardDeviation(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const centre = exactMean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1));
}

/** The smallest value, or null for an empty list. */
export function least(values: readonly number[]): number | null {
  return values.reduce<number | null>((low, value) => (low === null || value < low ? value : low), null);
}

/** The largest value, or null for an empty list. */
export function greatest(values: readonly number[]): number | null {
  return values.reduce<number | null>((high, value) => (high === null || value > high ? value : high), null);
}

/** The middle value, or the mean of the two middle values if their count is even. @throws on an empty list. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  const lower = sorted[sorted.length % 2 === 0 ? middle - 1 : middle];
  if (upper === undefined || lower === undefined) throw new Error('There is no median of no values.');
  return (lower + upper) / 2;
}
