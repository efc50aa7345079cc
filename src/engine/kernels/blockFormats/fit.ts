/**
 * The search for the scale, and the offset, by which a group of numbers x is kept as small whole codes q.
 *
 * Codes that are fixed leave a problem of least squares. Without an offset, Σ (x − s q)² is least at s = Σxq / Σq², and then it has
 * fallen by (Σxq)² / Σq² from what it is without any code. With an offset, x ≈ s q + m, two equations in s and m say the same. So
 * a candidate costs one walk: it rounds each number to the nearest code, and the fall says how good those codes are. The best
 * candidate is improved as in k-means: its scale is solved for, the codes are drawn anew by that scale, until nothing falls further.
 */
import { ROUNDING } from './scales.ts';

/** Numbers `first` … `end` − 1 of a block, which share a scale. */
export interface Group {
  readonly first: number;
  readonly end: number;
}

export interface Line {
  scale: number;
  offset: number;
}

/** The best candidate's codes are drawn anew so often at most. */
const REFINEMENTS = 4;

/** A candidate for a scale lies so many codes beyond or before the end of its codes. 255 codes are so close that none is better. */
const SCALE_STEPS = [-0.8, -0.4, 0, 0.4, 0.8];
const NO_STEPS = [0];
/** A candidate for a scale and an offset spreads the numbers over so many codes more than there are. */
const LINE_STEPS = [-0.9, -0.6, -0.3, 0, 0.3, 0.6, 0.9];

/** The number of the largest magnitude, with its sign. */
function extremeOf(x: Float64Array, { first, end }: Group): number {
  let extreme = 0;
  for (let i = first; i < end; i++) {
    const value = x[i] as number;
    if (Math.abs(value) > Math.abs(extreme)) extreme = value;
  }
  return extreme;
}

/** The sums of a candidate's codes. They are one object, made once, because a model has millions of groups. */
const sums = { xq: 0, qq: 0, q: 0 };

/** Draws codes by a candidate and sums over them. */
function sum(
  x: Float64Array,
  { first, end }: Group,
  { scale, offset }: Line,
  low: number,
  high: number,
): void {
  const inverse = 1 / scale;
  let xq = 0;
  let qq = 0;
  let sq = 0;
  for (let i = first; i < end; i++) {
    const value = x[i] as number;
    const nearest = (value - offset) * inverse + ROUNDING - ROUNDING;
    const q = nearest < low ? low : nearest > high ? high : nearest;
    xq += q * value;
    qq += q * q;
    sq += q;
  }
  sums.xq = xq;
  sums.qq = qq;
  sums.q = sq;
}

/**
 * Finds the best scale for codes from `low` to `high`. A candidate places the extreme number at a code near an end, or a little beyond
 * it, where it is cut off for the good of the others.
 */
export function fitScale(x: Float64Array, group: Group, low: number, high: number, line: Line): void {
  const extreme = extremeOf(x, group);
  const candidate: Line = { scale: 0, offset: 0 };
  let best = 0;
  const improves = (scale: number): boolean => {
    candidate.scale = scale;
    sum(x, group, candidate, low, high);
    const fall = sums.qq === 0 ? 0 : (sums.xq * sums.xq) / sums.qq;
    if (fall <= best) return false;
    best = fall;
    line.scale = sums.xq / sums.qq;
    return true;
  };
  line.scale = 0;
  line.offset = 0;
  if (extreme === 0) return;
  for (const step of high > 64 ? NO_STEPS : SCALE_STEPS) {
    improves(extreme / (low + step));
    improves(extreme / (high + step));
  }
  for (let i = 0; i < REFINEMENTS && improves(line.scale); i++);
}

/**
 * Finds the best scale and offset for codes from 0 to `top`. A candidate spreads the range of the numbers over a little more or fewer
 * codes than there are. If `below`, the offset is 0 at most.
 */
export function fitLine(x: Float64Array, group: Group, top: number, below: boolean, line: Line): void {
  const count = group.end - group.first;
  let [least, most, sx] = [Infinity, -Infinity, 0];
  for (let i = group.first; i < group.end; i++) {
    const value = x[i] as number;
    if (value < least) least = value;
    if (value > most) most = value;
    sx += value;
  }
  if (below && least > 0) least = 0;
  line.offset = least;
  line.scale = 0;
  if (most <= least) return;
  const candidate: Line = { scale: 0, offset: 0 };
  let best = -Infinity;
  const improves = (scale: number, offset: number): boolean => {
    candidate.scale = scale;
    candidate.offset = offset;
    sum(x, group, candidate, 0, top);
    const { xq, qq, q } = sums;
    const determinant = count * qq - q * q;
    if (determinant <= 0) return false;
    let s = (count * xq - sx * q) / determinant;
    let m = (qq * sx - q * xq) / determinant;
    if (below && m > 0) {
      m = 0;
      s = xq / qq;
    }
    const fall = s * xq + m * sx;
    if (fall <= best) return false;
    best = fall;
    line.scale = s;
    line.offset = m;
    return true;
  };
  for (const step of LINE_STEPS) improves((most - least) / (top + step), least);
  for (let i = 0; i < REFINEMENTS && improves(line.scale, line.offset); i++);
}

/** Draws the codes of a group by its scale and offset, and returns the squared error that they leave. */
export function drawCodes(
  x: Float64Array,
  { first, end }: Group,
  { scale, offset }: Line,
  low: number,
  high: number,
  codes: Int8Array,
): number {
  const inverse = scale === 0 ? 0 : 1 / scale;
  let error = 0;
  for (let i = first; i < end; i++) {
    const value = x[i] as number;
    const nearest = (value - offset) * inverse + ROUNDING - ROUNDING;
    const q = nearest < low ? low : nearest > high ? high : nearest;
    codes[i] = q;
    const rest = value - offset - scale * q;
    error += rest * rest;
  }
  return error;
}

/** The best offset for codes and a scale that are fixed. */
export function offsetFor(x: Float64Array, { first, end }: Group, scale: number, codes: Int8Array): number {
  let rest = 0;
  for (let i = first; i < end; i++) rest += (x[i] as number) - scale * (codes[i] as number);
  return rest / (end - first);
}
