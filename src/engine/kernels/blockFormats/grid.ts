/**
 * Finds the scale and the offset of numbers that lie on a format's grid already, as those of a model do that was kept in such blocks before.
 * All of their distances are whole multiples of the scale, so the scale is their greatest common divisor, by Euclid's rule. Other numbers
 * are told after two or three of them: a common divisor would be too small for the codes that there are.
 */
import type { Group, Line } from './fit.ts';
import { nearestHalf } from './scales.ts';

/** The scales of a block of 256: those of a group are a factor and a minimum of the block's own. */
export interface SuperScales {
  /** The scale of the factors, and that of the minima. */
  scale: number;
  least: number;
  readonly factors: Int16Array;
  readonly minima: Int16Array;
}

/**
 * The greatest number of which all distances from `origin` are whole multiples, but for `tolerance`. It is 0 if that would be smaller than
 * `smallest`, and if there are no distances.
 */
function commonDivisor(
  numbers: Float64Array,
  { first, end }: Group,
  origin: number,
  smallest: number,
  tolerance: number,
): number {
  let divisor = 0;
  for (let i = first; i < end; i++) {
    let larger = Math.abs((numbers[i] as number) - origin);
    if (larger <= tolerance) continue;
    let smaller = divisor;
    while (smaller > tolerance) {
      if (smaller < smallest) return 0;
      const rest = Math.abs(larger - Math.round(larger / smaller) * smaller);
      larger = smaller;
      smaller = rest;
    }
    if (larger < smallest) return 0;
    divisor = larger;
  }
  return divisor;
}

/** A divisor may be a multiple of the scale where the codes have a factor in common. Larger factors than this are not looked for. */
const COMMON_FACTORS = 8;

/** The range of some numbers. It is one object, made once. */
const range = { least: 0, most: 0 };

function measure(numbers: Float64Array, { first, end }: Group): void {
  let least = Infinity;
  let most = -Infinity;
  for (let i = first; i < end; i++) {
    const value = numbers[i] as number;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  range.least = least;
  range.most = most;
}

/** The sign that a scale of this size needs for codes from `low` to `high`; 0 if there are too few codes for the range. */
function signFor(size: number, low: number, high: number): number {
  if (range.most <= high * size && range.least >= low * size) return 1;
  return range.most <= -low * size && range.least >= -high * size ? -1 : 0;
}

/** The scale of numbers that are whole multiples of a scale in f16. False if they are not. */
export function scaleOnGrid(x: Float64Array, group: Group, low: number, high: number, line: Line): boolean {
  measure(x, group);
  const extreme = Math.max(range.most, -range.least);
  const divisor = commonDivisor(x, group, 0, extreme / -low, 0);
  line.offset = 0;
  for (let factor = 1; divisor > 0 && factor <= COMMON_FACTORS; factor++) {
    const size = divisor / factor;
    line.scale = size * signFor(size, low, high);
    if (line.scale !== 0 && nearestHalf(size) === size) return true;
  }
  return false;
}

/** True if the numbers are code · scale + offset, rounded to f32, with codes from 0 to `top`. */
function isOn(x: Float64Array, { first, end }: Group, { scale, offset }: Line, top: number): boolean {
  for (let i = first; i < end; i++) {
    const value = x[i] as number;
    const code = scale === 0 ? 0 : Math.round((value - offset) / scale);
    if (code < 0 || code > top || Math.fround(code * scale + offset) !== value) return false;
  }
  return true;
}

/** Sums of a scale's multiples and an offset were rounded to f32: their distances are multiples but for so much of the largest number. */
const ROUNDED = 2 ** -17;

/** The distance between neighbours of a grid on which the numbers seem to lie; 0 if none is seen. `range` is theirs afterwards. */
function stepOf(x: Float64Array, group: Group, top: number): number {
  measure(x, group);
  const width = range.most - range.least;
  const tolerance = ROUNDED * Math.max(range.most, -range.least);
  const smallest = (width / top) * (1 - 2 ** -8);
  if (smallest < 4 * tolerance) return 0;
  const divisor = commonDivisor(x, group, range.least, smallest, tolerance);
  return divisor === 0 ? 0 : width / Math.round(width / divisor);
}

const isNear = (found: number, wanted: number): boolean =>
  Math.abs(found - wanted) <= 2 ** -16 * Math.abs(wanted);

/** The scale and the offset, both in f16, of numbers that are code · scale + offset. False if they are not. */
export function lineOnGrid(x: Float64Array, group: Group, top: number, line: Line): boolean {
  const step = stepOf(x, group, top);
  if (step === 0) return false;
  const { least, most } = range;
  for (let factor = 1; factor <= COMMON_FACTORS; factor++) {
    const scale = nearestHalf(step / factor);
    const unused = top - Math.round((most - least) / scale);
    if (unused < 0 || !isNear(scale * factor, step)) continue;
    for (let code = 0; code <= unused; code++) {
      line.scale = scale;
      line.offset = nearestHalf(least - code * scale);
      if (isOn(x, group, line, top)) return true;
      line.scale = -scale;
      line.offset = nearestHalf(most + code * scale);
      if (isOn(x, group, line, top)) return true;
    }
  }
  return false;
}

const divisors = new Float64Array(16);
const leasts = new Float64Array(16);
const unusedCodes = new Uint8Array(16);
const minimaSeen = new Float64Array(16);

/** Yields scales in f16 of which all of the first `count` numbers are multiples, the largest by a factor from 1 to `most`. */
function* superScales(numbers: Float64Array, count: number, most: number): Generator<number> {
  let extreme = 0;
  for (let j = 0; j < count; j++)
    if (Math.abs(numbers[j] as number) > Math.abs(extreme)) extreme = numbers[j] as number;
  const whole = { first: 0, end: count };
  const smallest = (Math.abs(extreme) / most) * (1 - 2 ** -8);
  const divisor = commonDivisor(numbers, whole, 0, smallest, 2 ** -13 * Math.abs(extreme));
  if (divisor === 0) return;
  const multiple = Math.round(Math.abs(extreme) / divisor);
  // Few numbers may all be large multiples.
  for (let factor = 1; multiple * factor <= most; factor++) {
    const scale = nearestHalf(extreme / multiple / factor);
    if (isNear(scale * factor * multiple, extreme)) yield scale;
  }
}

const line: Line = { scale: 0, offset: 0 };

const mirrored = new Float64Array(256);

/** The scales of a block of Q4_K or Q5_K whose numbers lie on its grid. False if they do not. */
export function linesOnGrid(
  x: Float64Array,
  groups: readonly Group[],
  top: number,
  found: SuperScales,
): boolean {
  if (risingLines(x, groups, top, found)) return true;
  for (let i = 0; i < x.length; i++) mirrored[i] = -(x[i] as number);
  if (!risingLines(mirrored, groups, top, found)) return false;
  found.scale = -found.scale;
  found.least = -found.least;
  return true;
}

/** Does the same for a block whose own scale is not negative. */
function risingLines(x: Float64Array, groups: readonly Group[], top: number, found: SuperScales): boolean {
  let certain = 0;
  let fewest = 0;
  for (let j = 0; j < groups.length; j++) {
    const group = groups[j] as Group;
    const step = stepOf(x, group, top);
    if (step === 0 && range.most > range.least) return false;
    divisors[j] = step;
    leasts[j] = range.least;
    unusedCodes[j] = step === 0 ? 0 : top - Math.round((range.most - range.least) / step);
    if ((unusedCodes[j] as number) < (unusedCodes[fewest] as number)) fewest = j;
    // A group that uses all codes says its minimum.
    if (unusedCodes[j] === 0) minimaSeen[certain++] = -range.least;
  }
  const unused = unusedCodes[fewest] as number;
  for (const scale of superScales(divisors, groups.length, 63))
    for (let code = 0; code <= unused; code++) {
      if (unused > 0) minimaSeen[0] = code * (divisors[fewest] as number) - (leasts[fewest] as number);
      for (const least of [0, ...superScales(minimaSeen, Math.max(1, certain), 63)]) {
        found.scale = scale;
        found.least = least;
        if (groups.every((group, j) => minimumOnGrid(x, group, j, top, found))) return true;
      }
    }
  return false;
}

/** Finds the factor and the minimum of group j. */
function minimumOnGrid(x: Float64Array, group: Group, j: number, top: number, found: SuperScales): boolean {
  const factor = Math.round((divisors[j] as number) / found.scale);
  if (factor > 63) return false;
  line.scale = found.scale * factor;
  for (let code = 0; code <= (unusedCodes[j] as number); code++) {
    const depth = code * line.scale - (leasts[j] as number);
    const minimum = found.least === 0 ? 0 : Math.round(depth / found.least);
    line.offset = -found.least * minimum;
    if (minimum < 0 || minimum > 63 || !isOn(x, group, line, top)) continue;
    found.factors[j] = factor;
    found.minima[j] = minimum;
    return true;
  }
  return false;
}

/** The scales of a block of Q6_K whose numbers lie on its grid. False if they do not. */
export function scalesOnGrid(
  x: Float64Array,
  groups: readonly Group[],
  low: number,
  high: number,
  found: SuperScales,
): boolean {
  for (let j = 0; j < groups.length; j++) {
    const group = groups[j] as Group;
    measure(x, group);
    const extreme = Math.max(range.most, -range.least);
    const divisor = commonDivisor(x, group, 0, extreme / -low, 0);
    if (divisor === 0 && extreme > 0) return false;
    divisors[j] = divisor * signFor(divisor, low, high);
  }
  for (const size of superScales(divisors, groups.length, 128))
    for (const scale of [size, -size]) {
      found.scale = scale;
      const fits = groups.every((_, j) => {
        const factor = (divisors[j] as number) / scale;
        found.factors[j] = factor;
        return found.factors[j] === factor && factor >= -128 && factor <= 127;
      });
      if (fits) return true;
    }
  return false;
}
