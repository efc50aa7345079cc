/** Σ x² of a tensor, the summand of the global gradient norm. Summed in a fixed order. */
import type * as tf from '../../backend/tf.ts';
import { registerOp, runSingle } from '../../backend/kernelRegistry.ts';
import { squaredNormOnWasm } from './wasm.ts';
import { squaredNormOnWebGpu } from './webgpu.ts';

registerOp<object>({ name: 'RlSquaredNorm', wasm: squaredNormOnWasm, webgpu: squaredNormOnWebGpu });

/** `x` of any shape → [1]. */
export function squaredNorm(x: tf.Tensor): tf.Tensor1D {
  return runSingle('RlSquaredNorm', { x }) as tf.Tensor1D;
}
