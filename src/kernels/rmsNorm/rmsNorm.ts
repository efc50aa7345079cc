/**
 * Root-mean-square layer normalisation (Zhang & Sennrich 2019): y = x / sqrt(mean(x²) + ε) ⊙ γ over the last axis.
 * Gradients, with r = 1 / sqrt(mean(x²) + ε) and g = dy ⊙ γ:
 * dx = r · (g − x · r² · mean(g ⊙ x)),  dγ = Σ_rows dy ⊙ x · r.
 */
import * as tf from '../../backend/tf.ts';
import { registerOp, runOp, runSingle } from '../../backend/kernelRegistry.ts';
import type { RmsNormAttributes } from './attributes.ts';
import { rmsNormGradientOnWasm, rmsNormOnWasm } from './wasm.ts';
import { rmsNormGradientOnWebGpu, rmsNormOnWebGpu } from './webgpu.ts';

registerOp<RmsNormAttributes>({ name: 'RlRmsNorm', wasm: rmsNormOnWasm, webgpu: rmsNormOnWebGpu });
registerOp<RmsNormAttributes>({
  name: 'RlRmsNormGradient',
  wasm: rmsNormGradientOnWasm,
  webgpu: rmsNormGradientOnWebGpu,
});

tf.registerGradient({
  kernelName: 'RlRmsNorm',
  inputsToSave: ['x', 'gamma'],
  gradFunc: (dy, saved, attributes) => {
    const [x, gamma] = saved as [tf.Tensor, tf.Tensor];
    const [dx, dgamma] = runOp('RlRmsNormGradient', { x, gamma, dy: dy as tf.Tensor }, attributes) as [
      tf.Tensor,
      tf.Tensor,
    ];
    return { x: () => dx, gamma: () => dgamma };
  },
});

/** `x` [N, D], `gamma` [D] → [N, D]. */
export function rmsNorm(x: tf.Tensor, gamma: tf.Tensor, epsilon: number): tf.Tensor2D {
  return runSingle('RlRmsNorm', { x, gamma }, { epsilon }) as tf.Tensor2D;
}
