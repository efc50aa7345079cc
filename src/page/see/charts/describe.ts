/** A curve in words, for people who do not see it. */
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

function meanFrom(points: readonly SeriesPoint[], by: 1 | -1, count: number): number {
  let [sum, left] = [0, count];
  for (let index = by === 1 ? 0 : points.length - 1; left > 0; index += by) {
    const point = points[index];
    if (point === undefined) break;
    if (!isKnown(point)) continue;
    sum += point.value;
    left--;
  }
  return sum / count;
}

/**
 * Finds the ends, the extremes and the trend of the finite values. The trend compares the means of the first and the last tenth, and is
 * level where they differ by less than a tenth of the range.
 */
export function factsOf(points: readonly SeriesPoint[]): CurveFacts | null {
  const [first, last] = [points.find(isKnown), points.findLast(isKnown)];
  if (first === undefined || last === undefined) return null;
  let [lowest, highest, count] = [first, first, 0];
  for (const point of points) {
    if (!isKnown(point)) continue;
    count++;
    if (point.value < lowest.value) lowest = point;
    if (point.value > highest.value) highest = point;
  }
  const end = Math.max(1, Math.floor(count * END_SHARE));
  const change = meanFrom(points, -1, end) - meanFrom(points, 1, end);
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
