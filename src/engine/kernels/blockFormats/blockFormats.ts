/**
 * The block formats of GGUF files, as ggml lays them out. A row is a whole number of blocks. A block is cut into groups; an element of a
 * group stands for code · scale + offset, where the code is a small whole number.
 */

export const BLOCK_FORMATS = [
  'q4_0',
  'q4_1',
  'q5_0',
  'q5_1',
  'q8_0',
  'q2_k',
  'q3_k',
  'q4_k',
  'q5_k',
  'q6_k',
  'iq4_nl',
  'iq4_xs',
] as const;
export type BlockFormat = (typeof BLOCK_FORMATS)[number];

export interface BlockShape {
  /** The number of elements of a block. */
  readonly elements: number;
  readonly bytes: number;
  /** The number of elements that share a scale and an offset. */
  readonly group: 16 | 32;
}

export const BLOCK_SHAPES: Readonly<Record<BlockFormat, BlockShape>> = {
  q4_0: { elements: 32, bytes: 18, group: 32 },
  q4_1: { elements: 32, bytes: 20, group: 32 },
  q5_0: { elements: 32, bytes: 22, group: 32 },
  q5_1: { elements: 32, bytes: 24, group: 32 },
  q8_0: { elements: 32, bytes: 34, group: 32 },
  q2_k: { elements: 256, bytes: 84, group: 16 },
  q3_k: { elements: 256, bytes: 110, group: 16 },
  q4_k: { elements: 256, bytes: 144, group: 32 },
  q5_k: { elements: 256, bytes: 176, group: 32 },
  q6_k: { elements: 256, bytes: 210, group: 16 },
  iq4_nl: { elements: 32, bytes: 18, group: 32 },
  iq4_xs: { elements: 256, bytes: 136, group: 32 },
};

/** The sixteen codes of IQ4_NL and IQ4_XS. */
export const UNEVEN_CODES = [
  -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113,
] as const;

export const isBlockFormat = (format: string): format is BlockFormat =>
  BLOCK_FORMATS.some((each) => each === format);
