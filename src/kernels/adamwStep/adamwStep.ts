/**
 * One AdamW update (Loshchilov & Hutter 2019) of a whole pool of parameters, in place, state in f32:
 * g ← s·c·g,  m ← β1·m + (1 − β1)·g,  v ← β2·v + (1 − β2)·g²,
 * θ ← θ − η·(m̂ / (√v̂ + ε) + λ·θ),  m̂ = m / (1 − β1^t),  v̂ = v / (1 − β2^t).
 * c scales the summed gradients, and s = min(1, clipNorm / ‖c·g‖) clips them: it is taken from Σ g² on the device, so nothing
 * waits for a readback. Where Σ g² is not finite, parameters and moments stay as they are. The gradient is zero afterwards, ready for the next step.
 */
import type * as tf from '../../backend/tf.ts';
import { registerOp, runInPlace } from '../../backend/kernelRegistry.ts';
import type { AdamwStepAttributes } from './attributes.ts';
import { adamwStepOnWasm } from './wasm.ts';
import { adamwStepOnWebGpu } from './webgpu.ts';

registerOp<AdamwStepAttributes>({ name: 'RlAdamwStep', wasm: adamwStepOnWasm, webgpu: adamwStepOnWebGpu });

/** `parameters`, `gradients`, `m`, `v` of one length; `squaredNorm` [1] holds Σ gradients². */
export function adamwStep(
  pools: {
    parameters: tf.Tensor;
    gradients: tf.Tensor;
    m: tf.Tensor;
    v: tf.Tensor;
    squaredNorm: tf.Tensor;
  },
  attributes: AdamwStepAttributes,
): void {
  runInPlace('RlAdamwStep', pools, { ...attributes });
}
