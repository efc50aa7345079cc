/** 95 % intervals: of a share, of a mean over problems, and of how two measurements of the same problems differ. */
import { mean } from './statistics.ts';

export interface Interval {
  readonly low: number;
  readonly high: number;
  /** Half of the interval's width. */
  readonly half: number;
}

const Z_95 = 1.959964;

/**
 * Wilson's score interval (Wilson 1927) of a `share` counted over `n` independent trials; null when there were none. Unlike p ± z·s it
 * stays inside [0, 1] and works at 0 and 1.
 */
export function wilson95(share: number, n: number): Interval | null {
  if (!(n > 0) || !Number.isFinite(share)) return null;
  const z2 = Z_95 * Z_95;
  const scale = 1 + z2 / n;
  const centre = (share + z2 / (2 * n)) / scale;
  const half = (Z_95 / scale) * Math.sqrt((share * (1 - share)) / n + z2 / (4 * n * n));
  return { low: Math.max(0, centre - half), high: Math.min(1, centre + half), half };
}

/**
 * The 95 % interval of the mean of `values` in [0, 1], one value for each problem; null if there are none. It is
 * Wilson's interval over as many trials as would spread like these values (the effective sample size of surveys, n·m(1
 * − m)/s²). For zeros and ones it equals `wilson95`.
 */
export function meanInterval95(values: readonly number[]): Interval | null {
  if (values.length === 0) return null;
  const centre = mean(values);
  const variance = mean(values.map((value) => (value - centre) ** 2));
  const trials = variance > 0 ? (values.length * centre * (1 - centre)) / variance : values.length;
  return wilson95(centre, trials);
}

/**
 * The 95 % interval of the difference q − p of two shares, counted over `n` and `m` independent trials: the hybrid
 * score interval (Newcombe 1998, method 10). It is null if either side had no trials.
 */
export function newcombe95(p: number, n: number, q: number, m: number): Interval | null {
  const [one, two] = [wilson95(p, n), wilson95(q, m)];
  if (!one || !two) return null;
  const difference = q - p;
  const low = difference - Math.hypot(q - two.low, one.high - p);
  const high = difference + Math.hypot(two.high - q, p - one.low);
  return { low, high, half: (high - low) / 2 };
}

/**
 * The number of problems that `pairedInterval95` adds to those that were measured: half a problem up by 1, half a
 * problem down by 1, and one unchanged.
 */
const ADDED_PAIRS = 2;

/**
 * The 95 % interval of the mean difference of two measurements of the same problems, each in [0, 1]; null if there are
 * no problems. It is the normal interval by problem, with the two problems added that Agresti and Min (2005) add to
 * matched pairs: without them a few problems that changed look more certain than they are. Its middle is a little
 * nearer to 0 than the mean.
 */
export function pairedInterval95(differences: readonly number[]): Interval | null {
  if (differences.length === 0) return null;
  const n = differences.length + ADDED_PAIRS;
  const centre = differences.reduce((sum, each) => sum + each, 0) / n;
  const squares = differences.reduce((sum, each) => sum + each * each, ADDED_PAIRS / 2) / n;
  const half = Z_95 * Math.sqrt((squares - centre * centre) / n);
  return { low: Math.max(-1, centre - half), high: Math.min(1, centre + half), half };
}
