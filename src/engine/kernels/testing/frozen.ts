/** Random frozen matrices, and the f32 numbers that their words encode, written plainly. */
import * as tf from '../../backend/tf.ts';
import { isBlockFormat } from '../blockFormats/blockFormats.ts';
import { dequantizeBlocks } from '../blockFormats/dequantize.ts';
import type { FrozenFormat, FrozenMatrix } from '../frozenMatrix/frozenMatrix.ts';
import { BLOCK_STEP, wordBytes } from '../frozenMatrix/layout.ts';
import { dequantizeRows, quantizeRows } from '../frozenMatrix/quantize.ts';
import { allocateFrozenMatrix, writeFrozenRows } from '../frozenMatrix/storage.ts';
import { randomBlocks } from './blocks.ts';
import type { RandomInputs } from './random.ts';

export interface RandomFrozen {
  readonly matrix: FrozenMatrix;
  readonly words: Uint8Array;
  readonly scales: Float32Array | null;
  /** The same matrix in f32. */
  readonly values: Float32Array;
  readonly wide: tf.Tensor2D;
}

/** A matrix in blocks of 64 rows. Among its 16-bit numbers are subnormal ones and both zeros. */
export function randomFrozen(
  random: RandomInputs,
  format: FrozenFormat,
  [rows, columns]: readonly [number, number],
): RandomFrozen {
  const { words, scales, values } = randomWords(random, format, rows * columns);
  const matrix = allocateFrozenMatrix([rows, columns], format, wordBytes(format, BLOCK_STEP * columns));
  writeFrozenRows(matrix, 0, words, scales);
  return { matrix, words, scales, values, wide: tf.tensor2d(values, [rows, columns]) };
}

export function randomWords(
  random: RandomInputs,
  format: FrozenFormat,
  count: number,
): { words: Uint8Array; scales: Float32Array | null; values: Float32Array } {
  if (isBlockFormat(format)) {
    const blocks = randomBlocks(random, format, count);
    const words = new Uint8Array(wordBytes(format, count));
    words.set(blocks);
    return { words, scales: null, values: dequantizeBlocks(format, blocks) };
  }
  if (format === 'q8' || format === 'q4') {
    const { words, scales } = quantizeRows(format, random.floats(count));
    return { words, scales, values: dequantizeRows(format, { words, scales }, count) };
  }
  const floats = random.floats(count);
  if (format === 'f32') return { words: new Uint8Array(floats.buffer), scales: null, values: floats };
  const isHalf = format === 'f16';
  // Exponents of f16 without that of infinity, of bf16 near 1; one number in eight has the least of all.
  const exponentBits = isHalf ? 5 : 8;
  const [lowest, exponents] = isHalf ? [0, 31] : [120, 10];
  const small = random.ints(count, 8);
  const bits = random.ints(count, 2 ** 16).map((word, i) => {
    const fractionBits = 15 - exponentBits;
    const exponent = small[i] === 0 ? 0 : lowest + ((word >> fractionBits) % exponents);
    return (word & 0x8000) | (exponent << fractionBits) | (word & (2 ** fractionBits - 1));
  });
  const values = Float32Array.from(bits, (word) => numberOf(word, exponentBits));
  return { words: new Uint8Array(Uint16Array.from(bits).buffer), scales: null, values };
}

/** IEEE 754: a sign, exponent bits, and the rest as the fraction. */
function numberOf(word: number, exponentBits: number): number {
  const fractionBits = 15 - exponentBits;
  const bias = 2 ** (exponentBits - 1) - 1;
  const exponent = (word & 0x7fff) >> fractionBits;
  const fraction = (word & (2 ** fractionBits - 1)) / 2 ** fractionBits;
  const magnitude = exponent === 0 ? fraction * 2 ** (1 - bias) : (1 + fraction) * 2 ** (exponent - bias);
  return word & 0x8000 ? -magnitude : magnitude;
}
