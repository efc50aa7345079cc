/**
 * Attention of one new token per row over a key/value cache. A row's cache lives in a slot, so rows may leave a batch, or
 * share their prompt's prefill, without moving anything. Each row is summed in the order of its own positions: its result
 * does not depend on its neighbours or on how many there are.
 */
import type * as tf from '../../backend/tf.ts';
import { registerOp, runOp, runSingle } from '../../backend/kernelRegistry.ts';
import type { DecodeAttentionAttributes, FillCacheAttributes } from './attributes.ts';
import { decodeAttentionOnWasm, fillCacheOnWasm } from './wasm.ts';
import { decodeAttentionOnWebGpu, fillCacheOnWebGpu } from './webgpu.ts';

registerOp<DecodeAttentionAttributes>({
  name: 'RlDecodeAttention',
  wasm: decodeAttentionOnWasm,
  webgpu: decodeAttentionOnWebGpu,
});
registerOp<FillCacheAttributes>({ name: 'RlFillCache', wasm: fillCacheOnWasm, webgpu: fillCacheOnWebGpu });

/** The keys or values of one layer: [slots, capacity, kvHeads·headDim], written in place. */
export interface LayerCache {
  readonly keys: tf.Tensor;
  readonly values: tf.Tensor;
}

/**
 * Writes `k` and `v` [B, kvHeads·headDim] to position `positions[b]` of slot `slots[b]`, then attends `q`
 * [B, heads·headDim] over positions 0 … positions[b] of that slot → [B, heads·headDim].
 */
export function decodeAttention(
  step: { q: tf.Tensor; k: tf.Tensor; v: tf.Tensor; slots: tf.Tensor; positions: tf.Tensor },
  cache: LayerCache,
  attributes: DecodeAttentionAttributes,
): tf.Tensor2D {
  const inputs = { ...step, keys: cache.keys, values: cache.values };
  return runSingle('RlDecodeAttention', inputs, { ...attributes }) as tf.Tensor2D;
}

/**
 * Copies prefilled rows into slots: slot s gets the `length` positions of row `sources[s]` of `rows` [R·length, width].
 * What lies beyond a prompt's own length is overwritten before it is ever read.
 */
export function fillCache(
  cache: tf.Tensor,
  rows: tf.Tensor,
  sources: tf.Tensor,
  attributes: FillCacheAttributes,
): void {
  runOp('RlFillCache', { cache, rows, sources }, { ...attributes }).forEach((tensor) => tensor.dispose());
}
