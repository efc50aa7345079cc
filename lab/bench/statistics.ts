/** Spreads and ratios of timed repeats. */
import { median } from '@rl-playground/base/statistics';
import type { Spread } from './types.ts';

export function spreadOf(values: readonly number[], unit: string): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values), unit };
}

/** The unit of a share that should be large; the unit % is for shares that should be small. */
export const PERCENT_REACHED = '% reached';

/** Unit of a ratio of times, greater than 1 where the first is slower. */
export const TIMES_FASTER = 'x';

/** True if more is better. Everything else is a time, a size or a share that should be small. */
export function moreIsBetter(unit: string): boolean {
  return unit.endsWith('/s') || unit === PERCENT_REACHED || unit === TIMES_FASTER;
}

/** The factor by which `ours` is faster than `theirs`. @throws Error if the units differ. */
export function timesFaster(ours: Spread, theirs: Spread): number {
  if (ours.unit !== theirs.unit)
    throw new Error(`A ratio needs one unit, found ${ours.unit} and ${theirs.unit}.`);
  return moreIsBetter(ours.unit) ? ours.median / theirs.median : theirs.median / ours.median;
}
