/**
 * Root-mean-square layer normalisation (Zhang & Sennrich 2019): y = x / sqrt(mean(x²) + ε) ⊙ γ over the last axis. Where a `shift` is
 * given, γ + shift stands in the place of γ: Gemma's files hold γ − 1.
 * Gradients, with r = 1 / sqrt(mean(x²) + ε) and g = dy ⊙ γ:
 * dx = r · (g − x · r² · mean(g ⊙ x)),  dγ = Σ_rows dy ⊙ x · r.
 */
import * as tf from '../../backend/tf.ts';
import { registerOp, runSingle } from '../../backend/kernelRegistry.ts';
import { offsetOf, tensorOf, type Operand, type Slice } from '../shared/slice.ts';
import {
  type RmsNormAttributes,
  type RmsNormGradientAttributes,
  rmsNormGradientOnWasm,
  rmsNormOnWasm,
} from './wasm.ts';
import { rmsNormGradientOnWebGpu, rmsNormOnWebGpu } from './webgpu.ts';

registerOp<RmsNormAttributes>({ name: 'RlRmsNorm', wasm: rmsNormOnWasm, webgpu: rmsNormOnWebGpu });
registerOp<RmsNormGradientAttributes>({
  name: 'RlRmsNormGradient',
  wasm: rmsNormGradientOnWasm,
  webgpu: rmsNormGradientOnWebGpu,
});

tf.registerGradient({
  kernelName: 'RlRmsNorm',
  inputsToSave: ['x', 'gamma'],
  gradFunc: (dy, saved, attributes) => {
    const [x, gamma] = saved as [tf.Tensor, tf.Tensor];
    const { epsilon, shift } = attributes as unknown as RmsNormAttributes;
    const dgamma = tf.zerosLike(gamma);
    const target = { tensor: dgamma, offset: 0, shape: gamma.shape };
    const dx = rmsNormGradient({ x, gamma, dy: dy as tf.Tensor }, epsilon, target, shift);
    return { x: () => dx, gamma: () => dgamma };
  },
});

/** `x` [N, D], `gamma` [D] → [N, D]. Under a tape γ must be a whole tensor. */
export function rmsNorm(x: tf.Tensor, gamma: Operand, epsilon: number, shift = 0): tf.Tensor2D {
  const attributes = { epsilon, shift, gammaOffset: offsetOf(gamma) };
  return runSingle('RlRmsNorm', { x, gamma: tensorOf(gamma) }, attributes) as tf.Tensor2D;
}

/** dx [N, D], plus `residual` [N, D] if there is one. It adds dγ to its slice, or leaves it out if γ is frozen (null). */
export function rmsNormGradient(
  { x, gamma, dy, residual }: { x: tf.Tensor; gamma: Operand; dy: tf.Tensor; residual?: tf.Tensor },
  epsilon: number,
  gammaGradient: Slice | null,
  shift = 0,
): tf.Tensor2D {
  const inputs = {
    x,
    gamma: tensorOf(gamma),
    dy,
    ...(residual ? { residual } : {}),
    ...(gammaGradient ? { gammaGradient: gammaGradient.tensor } : {}),
  };
  return runSingle('RlRmsNormGradient', inputs, {
    epsilon,
    shift,
    gammaOffset: offsetOf(gamma),
    gammaGradientOffset: gammaGradient?.offset ?? 0,
  }) as tf.Tensor2D;
}
