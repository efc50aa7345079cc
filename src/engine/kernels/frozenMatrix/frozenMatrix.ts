/**
 * Matrices that are never trained, in the words of the file that they come from: Hugging Face's [out, in], row after row. A 16-bit base
 * takes half the memory of f32, a quantized one a quarter or less. Rows are in blocks, because a device binds only so many bytes at a
 * time, and because maps of one input are one matrix, of which a GGUF file may have each in another format. A product runs over the
 * blocks in order, so neither their borders nor their formats change a bit of it.
 */
import type { Tensor } from '../../backend/tf.ts';
import { BLOCK_FORMATS } from '../blockFormats/blockFormats.ts';

/**
 * The formats. `f32`, `f16`, `bf16`: the numbers themselves, 16-bit ones two to a word, the first in the lower half. `q8`: whole numbers
 * from −127 to 127, four to a word, times one f32 scale for each 32 (absmax). `q4`: NF4's 16 levels (Dettmers et al. 2023), eight to a
 * word, times one f32 scale for each 64. Groups of these two continue over the rows one after the other. The others are the block formats
 * of GGUF (`blockFormats`), of which a row holds whole blocks, as they lie in the file.
 */
export const FROZEN_FORMATS = ['f32', 'f16', 'bf16', 'q8', 'q4', ...BLOCK_FORMATS] as const;
export type FrozenFormat = (typeof FROZEN_FORMATS)[number];

/** The rows `firstRow` … `firstRow + rows − 1`. */
export interface FrozenBlock {
  readonly firstRow: number;
  readonly rows: number;
  readonly format: FrozenFormat;
  /** The words, float32 for `f32`, else int32. */
  readonly words: Tensor;
  /** The scales of `q8` and `q4`, float32. */
  readonly scales: Tensor | null;
}

export interface FrozenMatrix {
  /** The shape [rows, columns] = [out, in]. Columns are a multiple of four. */
  readonly shape: readonly [rows: number, columns: number];
  readonly blocks: readonly FrozenBlock[];
}

/** Pieces that are written begin at multiples of this many rows, which are whole words and groups in every format. */
export const ROW_STEP = 16;
