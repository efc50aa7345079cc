/** Medians, spreads and ratios of timed repeats. */
import type { Spread } from './types.ts';

/** Middle value; the mean of the two middle ones for an even count. @throws on an empty list. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  const lower = sorted[sorted.length % 2 === 0 ? middle - 1 : middle];
  if (upper === undefined || lower === undefined) throw new Error('There is no median of no values.');
  return (lower + upper) / 2;
}

export function spreadOf(values: readonly number[], unit: string): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values), unit };
}

/** Unit of a share that should be large; a plain % is of something that should be small. */
export const PERCENT_REACHED = '% reached';

/** Unit of a ratio of times, greater than 1 where the first is slower. */
export const TIMES_FASTER = 'x';

/** Whether more is better. Everything else is a time, a size or a share that should be small. */
export function moreIsBetter(unit: string): boolean {
  return unit.endsWith('/s') || unit === PERCENT_REACHED || unit === TIMES_FASTER;
}

/** How many times faster `ours` is than `theirs`. @throws where the units differ. */
export function timesFaster(ours: Spread, theirs: Spread): number {
  if (ours.unit !== theirs.unit)
    throw new Error(`A ratio needs one unit, found ${ours.unit} and ${theirs.unit}.`);
  return moreIsBetter(ours.unit) ? ours.median / theirs.median : theirs.median / ours.median;
}
