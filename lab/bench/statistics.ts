/** Spreads and ratios of timed repeats. */
import { median } from '@rl-playground/base/statistics';
import type { Spread } from './types.ts';

export function spreadOf(values: readonly number[], unit: string): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values), unit };
}

/** Says whether more is better. All other units are a time, a size or a share that should be small. */
export const moreIsBetter = (unit: string): boolean => unit.endsWith('/s');

/** The factor by which `ours` is faster than `theirs`. @throws Error if the units differ. */
export function timesFaster(ours: Spread, theirs: Spread): number {
  if (ours.unit !== theirs.unit)
    throw new Error(`A ratio needs one unit, found ${ours.unit} and ${theirs.unit}.`);
  return moreIsBetter(ours.unit) ? ours.median / theirs.median : theirs.median / ours.median;
}
