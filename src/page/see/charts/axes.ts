/** The axes of a chart, and the place of the warm-up on the horizontal one. */
import type { SeriesPoint } from './specs/rows.ts';

/** The place of the supervised updates, left of step 0, where reinforcement starts. */
export interface SftSpan {
  /** The number of updates; 0 without a warm-up. */
  readonly updates: number;
  /** The width of the warm-up in steps: one for each update, but at most a third of the axis of reinforcement. */
  readonly width: number;
}

/** The largest width of a warm-up, as a share of reinforcement. */
const LARGEST_SHARE = 1 / 3;

export function sftSpan(updates: number, lastStep: number): SftSpan {
  return { updates, width: Math.min(updates, Math.max(1, lastStep * LARGEST_SHARE)) };
}

/** The position of an update. The first is 1, and the last is at 0. */
export function positionOf(update: number, { updates, width }: SftSpan): number {
  return ((update - updates) * width) / updates;
}

/** The losses of the supervised updates at their positions. */
export function updatePoints(losses: readonly number[], span: SftSpan): SeriesPoint[] {
  return losses.map((value, index) => ({ step: positionOf(index + 1, span), value }));
}

/** The position of a step of the log. In the warm-up a step is minus the number of updates still to come. */
export function stepPosition(step: number, { updates, width }: SftSpan): number {
  return step < 0 && updates > 0 ? (step * width) / updates : step;
}

export function updateAt(position: number, { updates, width }: SftSpan): number {
  return Math.round(updates + (position * updates) / width);
}

export type Domain = readonly [low: number, high: number];

/** The ends of a logarithmic axis, or why there can be none. */
export type LogAxis = { readonly domain: Domain } | { readonly refusal: string };

/** A short axis has ticks at 1, 2 and 5 times powers of ten; one of more powers has at most six, at powers alone. */
const FEW_DECADES = 2;
const MOST_POWERS = 6;

/** Multiples of the powers of ten from below `low` to above `high`. */
function marksAround([low, high]: Domain, factors: readonly number[]): number[] {
  const first = Math.floor(Math.log10(low));
  const powers = Array.from({ length: Math.floor(Math.log10(high)) - first + 2 }, (_, i) => first + i);
  return powers.flatMap((power) => factors.map((factor) => Number(`${factor}e${power}`)));
}

export function logTicks(domain: Domain): number[] {
  const [bottom, top] = domain;
  const inside = (mark: number): boolean => mark >= bottom && mark <= top;
  if (Math.log10(top / bottom) <= FEW_DECADES) return marksAround(domain, [1, 2, 5]).filter(inside);
  const powers = marksAround(domain, [1]).filter(inside);
  const every = Math.ceil(powers.length / MOST_POWERS);
  return powers.filter((_, i) => i % every === 0);
}

/** A logarithmic axis for `values`, from one round number to another. */
export function logAxis(values: readonly number[]): LogAxis {
  const low = values.reduce((least, value) => Math.min(least, value), Infinity);
  const high = values.reduce((most, value) => Math.max(most, value), -Infinity);
  if (low > high) return { refusal: 'there is nothing to draw yet' };
  if (low <= 0)
    return { refusal: `the lowest value is ${Number(low.toPrecision(3))}, and a log axis ends above 0` };
  const marks = marksAround([low, high], [1, 2, 5]);
  const bottom = marks.findLast((mark) => mark <= low) ?? low;
  const top = marks.find((mark) => mark >= high && mark > bottom) ?? high;
  return { domain: [bottom, top] };
}
