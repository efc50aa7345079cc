/**
 * Runs the head on some positions at a time, with turns of the event loop between: with a large vocabulary a thousand positions are a
 * second of work. The chunks are those of the op itself, so no sum is made in another order.
 */
import type { Breathe } from '../backend/eventLoop.ts';
import * as tf from '../backend/tf.ts';
import { rowChunks, type RowChunk } from '../kernels/tokenLogprobs/wasm.ts';

/** Rows of a matrix or vector; the tensor itself if the chunk is all of it. Call it within `tf.tidy`. */
export function rowsOf<T extends tf.Tensor>(tensor: T, { begin, size }: RowChunk): T {
  return size === tensor.shape[0] ? tensor : tf.slice(tensor, begin, size);
}

/** Returns the results of `work` for each chunk of `rows` positions with `vocabSize` tokens, in order. The caller disposes of them. */
export async function chunkByChunk<T extends tf.TensorContainerObject>(
  rows: number,
  vocabSize: number,
  breathe: Breathe,
  work: (chunk: RowChunk) => T,
): Promise<T[]> {
  const results: T[] = [];
  for (const chunk of rowChunks(rows, vocabSize)) {
    if (chunk.begin > 0) await breathe();
    results.push(tf.tidy(() => work(chunk)));
  }
  return results;
}

/** Joins chunks. Call it within `tf.tidy`. */
export function joined<T extends tf.Tensor>(chunks: readonly T[]): T {
  const [first] = chunks;
  if (first === undefined) throw new Error('There are no chunks to join.');
  return chunks.length === 1 ? first : tf.concat([...chunks]);
}
