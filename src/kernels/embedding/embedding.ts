/**
 * Token embedding: row `ids[n]` of the table. The backward adds dy over the occurrences of each token in ascending order
 * of position, with no atomics, so it is the same to the bit on every run (tfjs' gather gradient is neither that nor
 * available on wasm).
 */
import type * as tf from '../../backend/tf.ts';
import { registerOp, runInPlace, runSingle } from '../../backend/kernelRegistry.ts';
import { offsetOf, tensorOf, type Operand, type Slice } from '../slice.ts';
import type { EmbeddingAttributes, EmbeddingGradientAttributes } from './attributes.ts';
import { embeddingGradientOnWasm, embeddingOnWasm } from './wasm.ts';
import { embeddingGradientOnWebGpu, embeddingOnWebGpu } from './webgpu.ts';

registerOp<EmbeddingAttributes>({ name: 'RlEmbedding', wasm: embeddingOnWasm, webgpu: embeddingOnWebGpu });
registerOp<EmbeddingGradientAttributes>({
  name: 'RlEmbeddingGradient',
  wasm: embeddingGradientOnWasm,
  webgpu: embeddingGradientOnWebGpu,
});

/** `table` [V, D], `ids` int32 [N] → [N, D]. Throws where the table is no matrix. */
export function embedding(table: Operand, ids: tf.Tensor): tf.Tensor2D {
  const [vocabSize, width] = table.shape;
  if (vocabSize === undefined || width === undefined) {
    throw new Error(`embedding: the table has shape [${table.shape.join(', ')}]; it must be [V, D].`);
  }
  const attributes = { tableOffset: offsetOf(table), vocabSize, width };
  return runSingle('RlEmbedding', { table: tensorOf(table), ids }, attributes) as tf.Tensor2D;
}

/** Adds row n of `dy` [N, D] to row `ids[n]` of `target` [V, D]. */
export function embeddingGradient(dy: tf.Tensor, ids: tf.Tensor, target: Slice): void {
  const [vocabSize = 0] = target.shape;
  const attributes = { targetOffset: target.offset, vocabSize };
  runInPlace('RlEmbeddingGradient', { dy, ids, target: target.tensor }, attributes);
}
