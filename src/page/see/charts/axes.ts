/** The axes of a chart: where its vertical one ends, and where the stages of a run stand on its horizontal one. */
import type { SeriesPoint } from './specs/rows.ts';

/** The supervised updates before reinforcement on the axis of steps: left of step 0, where reinforcement starts. */
export interface SftSpan {
  /** Updates of the warm-up; 0 without one. */
  readonly updates: number;
  /** Steps of the axis that they take up: one each, or all together a third of what reinforcement has. */
  readonly width: number;
}

/** Of the width of reinforcement, so that a long warm-up leaves room for it. */
const LARGEST_SHARE = 1 / 3;

export function sftSpan(updates: number, lastStep: number): SftSpan {
  return { updates, width: Math.min(updates, Math.max(1, lastStep * LARGEST_SHARE)) };
}

/** The position of an update (1 for the first); the last stands at 0. */
export function positionOf(update: number, { updates, width }: SftSpan): number {
  return ((update - updates) * width) / updates;
}

/** The losses of the supervised updates so far, each where its update stands. */
export function updatePoints(losses: readonly number[], span: SftSpan): SeriesPoint[] {
  return losses.map((value, index) => ({ step: positionOf(index + 1, span), value }));
}

/** The position of a step of the log, which is below 0 inside the warm-up: minus the updates still to come. */
export function stepPosition(step: number, { updates, width }: SftSpan): number {
  return step < 0 && updates > 0 ? (step * width) / updates : step;
}

/** The update at a position left of 0. */
export function updateAt(position: number, { updates, width }: SftSpan): number {
  return Math.round(updates + (position * updates) / width);
}

/** The ends of an axis. */
export type Domain = readonly [low: number, high: number];

/** The ends of a logarithmic axis, or why there can be none. */
export type LogAxis = { readonly domain: Domain } | { readonly refusal: string };

/** Ticks at 1, 2 and 5 times powers of ten, where the axis is at most so many powers long; else at powers alone, this many at most. */
const FEW_DECADES = 2;
const MOST_POWERS = 6;

/** Some multiples of the powers of ten from under `low` to over `high`. */
function marksAround([low, high]: Domain, factors: readonly number[]): number[] {
  const first = Math.floor(Math.log10(low));
  const powers = Array.from({ length: Math.floor(Math.log10(high)) - first + 2 }, (_, i) => first + i);
  return powers.flatMap((power) => factors.map((factor) => Number(`${factor}e${power}`)));
}

/** The round numbers on a logarithmic axis. */
export function logTicks(domain: Domain): number[] {
  const [bottom, top] = domain;
  const inside = (mark: number): boolean => mark >= bottom && mark <= top;
  if (Math.log10(top / bottom) <= FEW_DECADES) return marksAround(domain, [1, 2, 5]).filter(inside);
  const powers = marksAround(domain, [1]).filter(inside);
  const every = Math.ceil(powers.length / MOST_POWERS);
  return powers.filter((_, i) => i % every === 0);
}

/** The logarithmic axis that holds all of `values`, which have to be above 0: from one round number to another. */
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
