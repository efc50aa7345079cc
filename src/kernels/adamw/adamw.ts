/**
 * One AdamW update (Loshchilov & Hutter 2019), state in f32:
 * g ← s·g,  m ← β1·m + (1 − β1)·g,  v ← β2·v + (1 − β2)·g²,
 * θ ← θ − η·(m̂ / (√v̂ + ε) + λ·θ),  m̂ = m / (1 − β1^t),  v̂ = v / (1 − β2^t);  s is the clipping factor.
 * The results are new tensors: XNNPACK packs a weight when it first meets the tensor, so an update in place would go
 * unseen on wasm.
 */
import type * as tf from '../../backend/tf.ts';
import { registerOp, runOp } from '../../backend/kernelRegistry.ts';
import type { AdamwAttributes } from './attributes.ts';
import { adamwOnWasm } from './wasm.ts';
import { adamwOnWebGpu } from './webgpu.ts';

registerOp<AdamwAttributes>({ name: 'RlAdamw', wasm: adamwOnWasm, webgpu: adamwOnWebGpu });

/** All tensors of one shape; returns the new parameter and moments. */
export function adamw(
  state: { parameter: tf.Tensor; gradient: tf.Tensor; m: tf.Tensor; v: tf.Tensor },
  attributes: AdamwAttributes,
): { parameter: tf.Tensor; m: tf.Tensor; v: tf.Tensor } {
  const [parameter, m, v] = runOp('RlAdamw', state, { ...attributes }) as [tf.Tensor, tf.Tensor, tf.Tensor];
  return { parameter, m, v };
}
