/**
 * Numbers as blocks of GGUF. `fit.ts` searches the scales; here they are rounded to what a block can hold, and the codes are drawn by the
 * rounded ones. Numbers that lie on a format's grid already come back as they are (`grid.ts`).
 */
import { BLOCK_SHAPES, type BlockFormat } from './blockFormats.ts';
import { Block, refuseNotFinite } from './blockWriter.ts';
import { drawCodes, fitLine, fitScale, offsetFor, type Group, type Line } from './fit.ts';
import { lineOnGrid, scaleOnGrid } from './grid.ts';
import { nearestHalf } from './scales.ts';
import { writeQ4K, writeQ5K, writeQ6K } from './superBlocks.ts';

export const QUANTIZED_FORMATS = [
  'q8_0',
  'q4_0',
  'q4_1',
  'q5_0',
  'q5_1',
  'q4_k',
  'q5_k',
  'q6_k',
] as const satisfies readonly BlockFormat[];
export type QuantizedBlocks = (typeof QUANTIZED_FORMATS)[number];

/**
 * Quantizes whole rows.
 * @throws Error if a number is not finite. @throws RangeError if a scale is beyond f16.
 */
export function quantizeBlocks(format: QuantizedBlocks, values: Float32Array): Uint8Array<ArrayBuffer> {
  const { elements, bytes: size } = BLOCK_SHAPES[format];
  if (values.length % elements !== 0)
    throw new Error(
      `${values.length} numbers as ${format}: a block holds ${elements} numbers, and blocks are whole.`,
    );
  const count = values.length / elements;
  const bytes = new Uint8Array(count * size);
  const block = new Block(elements, bytes);
  const write = WRITERS[format];
  for (let i = 0; i < count; i++) {
    take(block, values, i * elements);
    block.at = i * size;
    write(block);
  }
  return bytes;
}

function take({ x }: Block, values: Float32Array, first: number): void {
  // Stays 0 where all are finite.
  let rest = 0;
  for (let i = 0; i < x.length; i++) {
    const value = values[first + i] as number;
    rest += value - value;
    x[i] = value;
  }
  if (rest !== 0) refuseNotFinite(values, first);
}

const ALL: Group = { first: 0, end: 32 };
const line: Line = { scale: 0, offset: 0 };

/** The numbers of f16 below this one lie as far apart as those at it, which is far for them. */
const LEAST_NORMAL = 2 ** -14;

/** Rounds a scale to f16. A tiny one may lie between two that are not near: the better one is taken. */
function roundScale(block: Block, low: number, high: number): void {
  const near = nearestHalf(line.scale);
  const step = Math.abs(near) < LEAST_NORMAL ? 2 ** -24 : 0;
  let best = Infinity;
  let scale = near;
  for (let candidate = near - step; step > 0 && candidate <= near + step; candidate += step) {
    line.scale = candidate;
    const error = drawCodes(block.x, ALL, line, low, high, block.codes);
    if (error < best) [best, scale] = [error, candidate];
  }
  line.scale = scale;
}

/** A block of one scale: codes from `low` to `high`. */
function byScale(block: Block, low: number, high: number): void {
  if (!scaleOnGrid(block.x, ALL, low, high, line)) {
    fitScale(block.x, ALL, low, high, line);
    roundScale(block, low, high);
  }
  drawCodes(block.x, ALL, line, low, high, block.codes);
  block.half(0, line.scale);
}

/** Rounds a scale and an offset to f16. Where all numbers are one, the scale takes what the offset leaves. */
function roundLine(block: Block, top: number): void {
  if (line.scale === 0) {
    const value = line.offset;
    line.offset = nearestHalf(value);
    line.scale = nearestHalf(value - line.offset);
    return;
  }
  line.scale = nearestHalf(line.scale);
  drawCodes(block.x, ALL, line, 0, top, block.codes);
  line.offset = nearestHalf(offsetFor(block.x, ALL, line.scale, block.codes));
}

/** A block of a scale and an offset: codes from 0 to `top`. */
function byLine(block: Block, top: number): void {
  if (!lineOnGrid(block.x, ALL, top, line)) {
    fitLine(block.x, ALL, top, false, line);
    roundLine(block, top);
  }
  drawCodes(block.x, ALL, line, 0, top, block.codes);
  writeLine(block, line);
}

function writeLine(block: Block, { scale, offset }: Line): void {
  block.half(0, scale);
  block.half(2, offset);
}

/** The lower four bits of 32 codes, of which `zero` is kept as 0; the byte j holds code j and code j + 16. */
function halfBytes(block: Block, at: number, zero: number): void {
  for (let j = 0; j < 16; j++) {
    const low = ((block.codes[j] as number) - zero) & 15;
    const high = ((block.codes[j + 16] as number) - zero) & 15;
    block.byte(at + j, low | (high << 4));
  }
}

/** The fifth bit of 32 codes, of which `zero` is kept as 0. */
function fifthBits(block: Block, at: number, zero: number): void {
  let bits = 0;
  for (let i = 0; i < 32; i++) bits |= ((((block.codes[i] as number) - zero) >> 4) & 1) << i;
  block.view.setInt32(block.at + at, bits, true);
}

/** Writes a block of Q4_1 whose codes, scale and offset are chosen. */
export function writeQ4_1(block: Block, chosen: Line): void {
  writeLine(block, chosen);
  halfBytes(block, 4, 0);
}

const WRITERS: Readonly<Record<QuantizedBlocks, (block: Block) => void>> = {
  q8_0(block) {
    byScale(block, -128, 127);
    for (let i = 0; i < 32; i++) block.byte(2 + i, block.codes[i] as number);
  },
  q4_0(block) {
    byScale(block, -8, 7);
    halfBytes(block, 2, -8);
  },
  q4_1(block) {
    byLine(block, 15);
    halfBytes(block, 4, 0);
  },
  q5_0(block) {
    byScale(block, -16, 15);
    fifthBits(block, 2, -16);
    halfBytes(block, 6, -16);
  },
  q5_1(block) {
    byLine(block, 31);
    fifthBits(block, 4, 0);
    halfBytes(block, 8, 0);
  },
  q4_k: writeQ4K,
  q5_k: writeQ5K,
  q6_k: writeQ6K,
};
