/** Rows of logits held at a time. Chunks are the same on any device and number of threads, and so is the order of summation. */

/** 16 MB in f32. */
const MAX_LOGITS = 4_194_304;
/** Parts of tensors begin at multiples of 64 elements. */
const STEP = 64;

export interface RowChunk {
  readonly begin: number;
  readonly size: number;
}

/** The rows in order, in chunks of a multiple of 64, but for the last; with a vocabulary above 65536 just 64. */
export function rowChunks(rows: number, vocabSize: number): RowChunk[] {
  const size = Math.max(1, Math.floor(MAX_LOGITS / vocabSize / STEP)) * STEP;
  return Array.from({ length: Math.ceil(rows / size) }, (_, i) => ({
    begin: i * size,
    size: Math.min(size, rows - i * size),
  }));
}
