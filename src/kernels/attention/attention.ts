/**
 * Causal softmax attention with grouped queries (Vaswani et al. 2017; Ainslie et al. 2023), scale 1/√headDim.
 * Forward keeps the log-sum-exp of each row; backward recomputes the probabilities from it (Dao et al. 2022), so
 * [T, T] is never stored:
 * P = exp(S − lse),  D = Σ do ⊙ o,  dS = P ⊙ (do·vᵀ − D)·scale,  dq = dS·k,  dk = dSᵀ·q,  dv = Pᵀ·do.
 * Sequences are padded on the right, so causality alone keeps padding out of every real position.
 */
import * as tf from '../../backend/tf.ts';
import { registerOp, runOp } from '../../backend/kernelRegistry.ts';
import type { AttentionAttributes } from './attributes.ts';
import { attentionGradientOnWasm, attentionOnWasm } from './wasm.ts';
import { attentionGradientOnWebGpu, attentionOnWebGpu } from './webgpu.ts';

registerOp<AttentionAttributes>({ name: 'RlAttention', wasm: attentionOnWasm, webgpu: attentionOnWebGpu });
registerOp<AttentionAttributes>({
  name: 'RlAttentionGradient',
  wasm: attentionGradientOnWasm,
  webgpu: attentionGradientOnWebGpu,
});

tf.registerGradient({
  kernelName: 'RlAttention',
  inputsToSave: ['q', 'k', 'v'],
  outputsToSave: [true, true],
  gradFunc: (dys, saved, attributes) => {
    const [q, k, v, output, logSumExp] = saved as [tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor];
    const [dy] = dys as tf.Tensor[];
    const [dq, dk, dv] = runOp(
      'RlAttentionGradient',
      { q, k, v, output, logSumExp, dy: dy as tf.Tensor },
      attributes,
    ) as [tf.Tensor, tf.Tensor, tf.Tensor];
    return { q: () => dq, k: () => dk, v: () => dv };
  },
});

/** `q` [B·T, heads·headDim], `k` and `v` [B·T, kvHeads·headDim] → [B·T, heads·headDim]. */
export function causalAttention(
  q: tf.Tensor,
  k: tf.Tensor,
  v: tf.Tensor,
  attributes: AttentionAttributes,
): tf.Tensor2D {
  const [output] = runOp('RlAttention', { q, k, v }, { ...attributes });
  return output as tf.Tensor2D;
}
