/**
 * Causal softmax attention with grouped queries (Vaswani et al. 2017; Ainslie et al. 2023), scale 1/√headDim by default, over rows
 * q | k | v. With a window of W, position t sees the positions j with t − W < j ≤ t. Forward keeps the log-sum-exp of each row; backward recomputes the probabilities from it (Dao et al. 2022),
 * so [T, T] is never stored:
 * P = exp(S − lse),  D = Σ do ⊙ o,  dS = P ⊙ (do·vᵀ − D)·scale,  dq = dS·k,  dk = dSᵀ·q,  dv = Pᵀ·do.
 * Sequences are padded on the right, so causality alone keeps padding out of every real position.
 */
import * as tf from '../../backend/tf.ts';
import { registerOp, runOp, runSingle } from '../../backend/kernelRegistry.ts';
import { type SelfAttentionAttributes, selfAttentionGradientOnWasm, selfAttentionOnWasm } from './wasm.ts';
import { selfAttentionGradientOnWebGpu, selfAttentionOnWebGpu } from './webgpu.ts';

registerOp<SelfAttentionAttributes>({
  name: 'RlSelfAttention',
  wasm: selfAttentionOnWasm,
  webgpu: selfAttentionOnWebGpu,
});
registerOp<SelfAttentionAttributes>({
  name: 'RlSelfAttentionGradient',
  wasm: selfAttentionGradientOnWasm,
  webgpu: selfAttentionGradientOnWebGpu,
});

tf.registerGradient({
  kernelName: 'RlSelfAttention',
  inputsToSave: ['qkv'],
  outputsToSave: [true, true],
  gradFunc: (dys, saved, attributes) => {
    const [qkv, mixed, logSumExp] = saved as [tf.Tensor, tf.Tensor, tf.Tensor];
    const [dy] = dys as [tf.Tensor];
    const shape = attributes as unknown as SelfAttentionAttributes;
    return { qkv: () => selfAttentionGradient({ qkv, mixed, logSumExp, dy }, shape) };
  },
});

/** The results of attention that its gradient needs besides its input. */
export interface Attended {
  /** The mixed values [B·T, heads·headDim]. */
  readonly mixed: tf.Tensor2D;
  /** The natural log of each row's softmax denominator, [B·T, heads]. */
  readonly logSumExp: tf.Tensor2D;
}

/** Attends within `qkv` [B·T, (heads + 2·kvHeads)·headDim], whose queries and keys are already rotated. */
export function selfAttention(qkv: tf.Tensor, attributes: SelfAttentionAttributes): Attended {
  const [mixed, logSumExp] = runOp('RlSelfAttention', { qkv }, { ...attributes });
  return { mixed: mixed as tf.Tensor2D, logSumExp: logSumExp as tf.Tensor2D };
}

/** d qkv [B·T, (heads + 2·kvHeads)·headDim] from `dy` [B·T, heads·headDim]. */
export function selfAttentionGradient(
  inputs: { qkv: tf.Tensor; mixed: tf.Tensor; logSumExp: tf.Tensor; dy: tf.Tensor },
  attributes: SelfAttentionAttributes,
): tf.Tensor2D {
  return runSingle('RlSelfAttentionGradient', inputs, { ...attributes }) as tf.Tensor2D;
}
