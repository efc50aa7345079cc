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

/** Units in which more is better; every other one is a time, a size or a share that should be small. */
const RATES = /\/s$/;

export function isRate(unit: string): boolean {
  return RATES.test(unit);
}

/** How many times faster `ours` is than `theirs`. @throws where the units differ. */
export function timesFaster(ours: Spread, theirs: Spread): number {
  if (ours.unit !== theirs.unit)
    throw new Error(`A ratio needs one unit, found ${ours.unit} and ${theirs.unit}.`);
  return isRate(ours.unit) ? ours.median / theirs.median : theirs.median / ours.median;
}
