/** A curve in words, for people who do not see it. */
import { mean } from '@rl-playground/base/statistics';
import type { SeriesPoint } from './specs/rows.ts';

type Point = SeriesPoint & { readonly value: number };

/** The share of all values at each end that a trend compares. */
const END_SHARE = 0.1;
/** The least difference of the ends, as a share of the range, that is a trend. */
const TREND_SHARE = 0.1;

export type Trend = 'rising' | 'falling' | 'level';

export interface CurveFacts {
  readonly first: Point;
  readonly last: Point;
  readonly lowest: Point;
  readonly highest: Point;
  readonly trend: Trend;
}

const isKnown = (point: SeriesPoint): point is Point => point.value !== null && Number.isFinite(point.value);

const meanOf = (points: readonly Point[]): number => mean(points.map(({ value }) => value));

/**
 * Finds the ends, the extremes and the trend of the finite values. The trend compares the means of the first and the last tenth, and is
 * level where they differ by less than a tenth of the range.
 */
export function factsOf(points: readonly SeriesPoint[]): CurveFacts | null {
  const known = points.filter(isKnown);
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return null;
  const lowest = known.reduce((least, point) => (point.value < least.value ? point : least));
  const highest = known.reduce((most, point) => (point.value > most.value ? point : most));
  const end = Math.max(1, Math.floor(known.length * END_SHARE));
  const change = meanOf(known.slice(-end)) - meanOf(known.slice(0, end));
  const least = TREND_SHARE * (highest.value - lowest.value);
  const trend = change === 0 || Math.abs(change) < least ? 'level' : change > 0 ? 'rising' : 'falling';
  return { first, last, lowest, highest, trend };
}

/** Describes a curve: "mean: from 0.1 at step 1 to 0.8 at step 60, rising; lowest 0.1 at step 1, highest 0.9 at step 55." */
export function curveInWords(
  name: string,
  points: readonly SeriesPoint[],
  format: (value: number) => string,
): string {
  const facts = factsOf(points);
  if (facts === null) return `${name}: no values.`;
  const { first, last, lowest, highest, trend } = facts;
  const at = ({ step, value }: Point): string => `${format(value)} at step ${Math.round(step)}`;
  if (first === last) return `${name}: ${at(first)}.`;
  return `${name}: from ${at(first)} to ${at(last)}, ${trend}; lowest ${at(lowest)}, highest ${at(highest)}.`;
}
