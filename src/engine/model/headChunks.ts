/**
 * The head works on some positions at a time, and the event loop gets a turn between: with a large vocabulary a thousand positions are a
 * second of work. Chunks are those that the op itself takes, so no sum is made in another order.
 */
import type { Breathe } from '../backend/eventLoop.ts';
import * as tf from '../backend/tf.ts';
import { rowChunks, type RowChunk } from '../kernels/tokenLogprobs/wasm.ts';

/** Rows of a matrix or vector; the tensor itself where the chunk is all of it. Call within `tf.tidy`. */
export function rowsOf<T extends tf.Tensor>(tensor: T, { begin, size }: RowChunk): T {
  return size === tensor.shape[0] ? tensor : tf.slice(tensor, begin, size);
}

/** What `work` gives for each chunk of `rows` positions before `vocabSize` tokens, in order. Each is the caller's to dispose of. */
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

/** Chunks one after another. Call within `tf.tidy`. */
export function joined<T extends tf.Tensor>(chunks: readonly T[]): T {
  const [first] = chunks;
  if (first === undefined) throw new Error('There are no chunks to join.');
  return chunks.length === 1 ? first : tf.concat([...chunks]);
}
