/**
 * Attention of one new token per row over a key/value cache. A row's cache is in a slot, so rows may leave a batch, or share their
 * prompt's prefill, without moving anything. Each row is summed in the order of its own positions, so its result does not depend on its
 * neighbours or on how many there are.
 */
import type * as tf from '../../backend/tf.ts';
import { registerOp, runInPlace, runSingle } from '../../backend/kernelRegistry.ts';
import {
  type CacheAttentionAttributes,
  type FillCacheAttributes,
  type ForkCacheAttributes,
  cacheAttentionOnWasm,
  fillCacheOnWasm,
  forkCacheOnWasm,
} from './wasm.ts';
import { cacheAttentionOnWebGpu, fillCacheOnWebGpu, forkCacheOnWebGpu } from './webgpu.ts';

registerOp<CacheAttentionAttributes>({
  name: 'RlCacheAttention',
  wasm: cacheAttentionOnWasm,
  webgpu: cacheAttentionOnWebGpu,
});
registerOp<FillCacheAttributes>({ name: 'RlCacheFill', wasm: fillCacheOnWasm, webgpu: fillCacheOnWebGpu });
registerOp<ForkCacheAttributes>({ name: 'RlCacheFork', wasm: forkCacheOnWasm, webgpu: forkCacheOnWebGpu });

/**
 * The keys and values of one layer, [slots, capacity, kvHeads·headDim] each, written in place. Position p lies at p % capacity of its slot,
 * so a capacity of a window keeps the last positions. On wasm they may also be int32 of half the width, with two halves to a word, to which
 * they are then rounded.
 */
export interface LayerCache {
  readonly keys: tf.Tensor;
  readonly values: tf.Tensor;
}

/**
 * `qkv` [R, (heads + 2·kvHeads)·headDim], already rotated; `slots` and `positions` int32 [R]. Writes the keys and values of
 * row r to `positions[r]` of `slots[r]`, then attends its queries over the positions up to positions[r], the last `window` of them →
 * [R, heads·headDim]. The capacity must be that of the positions, or at least the window.
 */
export function cacheAttention(
  step: { qkv: tf.Tensor; slots: tf.Tensor; positions: tf.Tensor },
  { keys, values }: LayerCache,
  attributes: CacheAttentionAttributes,
): tf.Tensor2D {
  return runSingle('RlCacheAttention', { ...step, keys, values }, { ...attributes }) as tf.Tensor2D;
}

/**
 * Copies prefilled keys and values into slots: for each i, slot `slots[i]` gets the first `lengths[i]` positions of row `sources[i]` of
 * `qkv` [rows·length, (heads + 2·kvHeads)·headDim], or as many of the last of them as it has room for.
 */
export function fillCache(
  { keys, values }: LayerCache,
  copies: { qkv: tf.Tensor; sources: tf.Tensor; slots: tf.Tensor; lengths: tf.Tensor },
  attributes: FillCacheAttributes,
): void {
  runInPlace('RlCacheFill', { keys, values, ...copies }, { ...attributes });
}

/** Copies the positions of slot `from[i]`, which hold at most the first `length`, to slot `to[i]`, for each i. No slot may be on both sides. */
export function forkCache(
  { keys, values }: LayerCache,
  { from, to }: { from: tf.Tensor; to: tf.Tensor },
  { length }: ForkCacheAttributes,
): void {
  const [, capacity = 0] = keys.shape;
  runInPlace('RlCacheFork', { keys, values, from, to }, { length: Math.min(length, capacity) });
}
