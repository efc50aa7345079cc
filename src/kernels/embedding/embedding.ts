/**
 * Token embedding: row `ids[n]` of the table. The backward sums dy over the occurrences of each token in ascending order
 * of position, with no atomics, so it is the same to the bit on every run (tfjs' gather gradient is neither that nor
 * available on wasm).
 */
import type * as tf from '../../backend/tf.ts';
import { registerOp, runSingle } from '../../backend/kernelRegistry.ts';
import type { EmbeddingGradientAttributes } from './attributes.ts';
import { embeddingGradientOnWasm, embeddingOnWasm } from './wasm.ts';
import { embeddingGradientOnWebGpu, embeddingOnWebGpu } from './webgpu.ts';

registerOp<object>({ name: 'RlEmbedding', wasm: embeddingOnWasm, webgpu: embeddingOnWebGpu });
registerOp<EmbeddingGradientAttributes>({
  name: 'RlEmbeddingGradient',
  wasm: embeddingGradientOnWasm,
  webgpu: embeddingGradientOnWebGpu,
});

/** `table` [V, D], `ids` int32 [N] → [N, D]. */
export function embedding(table: tf.Tensor, ids: tf.Tensor): tf.Tensor2D {
  return runSingle('RlEmbedding', { table, ids }) as tf.Tensor2D;
}

/** d table [V, D] from `dy` [N, D] and `ids` [N]. Called directly: the embedding is outside every taped block. */
export function embeddingGradient(dy: tf.Tensor, ids: tf.Tensor, vocabSize: number): tf.Tensor2D {
  return runSingle('RlEmbeddingGradient', { dy, ids }, { vocabSize }) as tf.Tensor2D;
}
