/** Blocks of 256 numbers whose groups have scales that are kept as small whole factors of one in f16: Q4_K, Q5_K and Q6_K. */
import type { Block } from './blockWriter.ts';
import { drawCodes, fitLine, fitScale, offsetFor, type Group, type Line } from './fit.ts';
import { linesOnGrid, scalesOnGrid, type SuperScales } from './grid.ts';
import { nearestHalf } from './scales.ts';

const groupsOf = (size: number): Group[] =>
  Array.from({ length: 256 / size }, (_, j) => ({ first: j * size, end: (j + 1) * size }));
const EIGHT = groupsOf(32);
const SIXTEEN = groupsOf(16);

const found: SuperScales = { scale: 0, least: 0, factors: new Int16Array(16), minima: new Int16Array(16) };
const scales = new Float64Array(16);
const depths = new Float64Array(16);
const line: Line = { scale: 0, offset: 0 };

const largest = (numbers: Float64Array, count: number): number => {
  let extreme = 0;
  for (let j = 0; j < count; j++)
    if (Math.abs(numbers[j] as number) > Math.abs(extreme)) extreme = numbers[j] as number;
  return extreme;
};

/** The nearest factor from `low` to `high`. */
const factorOf = (value: number, unit: number, low: number, high: number): number =>
  unit === 0 ? 0 : Math.min(high, Math.max(low, Math.round(value / unit)));

/** Sets the scale and the offset of group j, draws its codes, and returns the error. */
function draw(
  block: Block,
  group: Group,
  factor: number,
  minimum: number,
  low: number,
  high: number,
): number {
  line.scale = found.scale * factor;
  line.offset = -found.least * minimum;
  return drawCodes(block.x, group, line, low, high, block.codes);
}

/** The scale and depth of each group alone, then in units of the largest; a factor's neighbours are tried with the minima they want. */
function fitLines(block: Block, top: number): void {
  EIGHT.forEach((group, j) => {
    fitLine(block.x, group, top, true, line);
    scales[j] = line.scale;
    depths[j] = -line.offset;
  });
  found.scale = nearestHalf(largest(scales, 8) / 63);
  found.least = nearestHalf(largest(depths, 8) / 63);
  EIGHT.forEach((group, j) => {
    const near = factorOf(scales[j] as number, found.scale, 0, 63);
    const deep = factorOf(depths[j] as number, found.least, 0, 63);
    let best = Infinity;
    const consider = (factor: number, minimum: number): void => {
      const error = draw(block, group, factor, minimum, 0, top);
      if (error >= best) return;
      best = error;
      found.factors[j] = factor;
      found.minima[j] = minimum;
    };
    for (let factor = Math.max(0, near - 1); factor <= Math.min(63, near + 1); factor++) {
      consider(factor, deep);
      const offset = offsetFor(block.x, group, found.scale * factor, block.codes);
      const minimum = factorOf(-offset, found.least, 0, 63);
      if (minimum !== deep) consider(factor, minimum);
    }
  });
}

/** The scales of a block of Q4_K or Q5_K, in its first sixteen bytes. */
function writeLines(block: Block, top: number): void {
  if (!linesOnGrid(block.x, EIGHT, top, found)) fitLines(block, top);
  const { factors, minima } = found;
  EIGHT.forEach((group, j) => draw(block, group, factors[j] as number, minima[j] as number, 0, top));
  block.half(0, found.scale);
  block.half(2, found.least);
  for (let j = 0; j < 4; j++) {
    const [factor, minimum] = [factors[j] as number, minima[j] as number];
    const [laterFactor, laterMinimum] = [factors[j + 4] as number, minima[j + 4] as number];
    block.byte(4 + j, factor | ((laterFactor >> 4) << 6));
    block.byte(8 + j, minimum | ((laterMinimum >> 4) << 6));
    block.byte(12 + j, (laterFactor & 15) | ((laterMinimum & 15) << 4));
  }
}

/** The lower four bits of all codes: those of a group of 32 and of the next share their bytes. */
function writeHalfBytes(block: Block, at: number): void {
  const { codes } = block;
  for (let i = 0; i < 128; i++) {
    const first = 64 * (i >> 5) + (i & 31);
    block.byte(at + i, ((codes[first] as number) & 15) | (((codes[first + 32] as number) & 15) << 4));
  }
}

export function writeQ4K(block: Block): void {
  writeLines(block, 15);
  writeHalfBytes(block, 16);
}

export function writeQ5K(block: Block): void {
  writeLines(block, 31);
  for (let i = 0; i < 32; i++) {
    let bits = 0;
    for (let j = 0; j < 8; j++) bits |= ((block.codes[32 * j + i] as number) >> 4) << j;
    block.byte(16 + i, bits);
  }
  writeHalfBytes(block, 48);
}

function fitScales(block: Block): void {
  SIXTEEN.forEach((group, j) => {
    fitScale(block.x, group, -32, 31, line);
    scales[j] = line.scale;
  });
  found.scale = nearestHalf(largest(scales, 16) / -128);
  for (let j = 0; j < 16; j++) found.factors[j] = factorOf(scales[j] as number, found.scale, -128, 127);
}

export function writeQ6K(block: Block): void {
  if (!scalesOnGrid(block.x, SIXTEEN, -32, 31, found)) fitScales(block);
  found.least = 0;
  SIXTEEN.forEach((group, j) => {
    draw(block, group, found.factors[j] as number, 0, -32, 31);
    block.byte(192 + j, found.factors[j] as number);
  });
  block.half(208, found.scale);
  const code = (at: number): number => (block.codes[at] as number) + 32;
  for (let l = 0; l < 128; l++) {
    const at = 128 * (l >> 6) + (l & 63);
    block.byte(l, (code(at) & 15) | ((code(at + 64) & 15) << 4));
  }
  for (let l = 0; l < 64; l++) {
    const at = 128 * (l >> 5) + (l & 31);
    let bits = 0;
    for (let k = 0; k < 4; k++) bits |= (code(at + 32 * k) >> 4) << (2 * k);
    block.byte(128 + l, bits);
  }
}
