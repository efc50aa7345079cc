/**
 * Corrections for answers that another policy sampled: weights for tokens that the sampler drew with other probabilities than the
 * trainer's, and leaving out answers that the policy has moved away from.
 */
import * as tf from '../backend/tf.ts';
import type { ImportanceMode } from './lossRows.ts';
import { finiteExp, stopGradient, withoutGradient, type LossInputs, type TokenLoss } from './inputs.ts';
import { called, named } from './tracing.ts';

export interface ImportanceSettings {
  /** The level of the weight, each token or the whole answer, and its treatment out of bounds: cut to the bound, or set to 0. */
  readonly importanceMode: ImportanceMode;
  /** The bounds of the weight; null is none, and without either there is no weight. */
  readonly importanceFloor: number | null;
  readonly importanceCap: number | null;
}

export const correctsSampler = ({ importanceFloor, importanceCap }: ImportanceSettings): boolean =>
  importanceFloor !== null || importanceCap !== null;

/**
 * sg(p_old / q) [B, T] within its bounds, for generators whose probabilities differ a little from the trainer's. The weight is that of
 * each token (truncated importance sampling, Yao et al. 2025) or of the whole answer, the product over its tokens. The modes with `mask`
 * give a weight out of bounds the value 0 (TRL), because such a token or answer is too far from the policy.
 */
export function importanceWeight(
  { oldLogprob, samplerLogprob, mask }: LossInputs,
  { importanceMode, importanceFloor, importanceCap }: ImportanceSettings,
): tf.Tensor2D {
  const perToken = tf.sub<tf.Tensor2D>(oldLogprob, samplerLogprob);
  const logWeight = importanceMode.startsWith('sequence')
    ? tf.mul<tf.Tensor2D>(
        called('sum', [perToken], tf.sum(tf.mul(perToken, mask), 1, true)),
        tf.onesLike(mask),
      )
    : perToken;
  const weight = finiteExp(logWeight);
  if (importanceMode.endsWith('mask')) {
    const low = tf.less(weight, importanceFloor ?? 0);
    const out = importanceCap === null ? low : tf.logicalOr(low, tf.greater(weight, importanceCap));
    return named('v', stopGradient(tf.where(out, tf.zerosLike(weight), weight)));
  }
  const raised = importanceFloor === null ? weight : tf.maximum<tf.Tensor2D>(weight, importanceFloor);
  const within = importanceCap === null ? raised : tf.minimum<tf.Tensor2D>(raised, importanceCap);
  return named('v', stopGradient(within));
}

export const importanceWeighted =
  (loss: TokenLoss, settings: ImportanceSettings): TokenLoss =>
  (inputs) =>
    tf.mul(importanceWeight(inputs, settings), loss(inputs));

/**
 * Off-policy sequence masking (DeepSeek-V3.2, 2025): ℓ = 0 at tokens with A < 0 if the policy has moved away from their answer, so that
 * the mean of log q − log p over its tokens is above the threshold. An answer that is far from the policy teaches it little about what
 * not to do.
 */
export const offPolicyMasked =
  (loss: TokenLoss, threshold: number): TokenLoss =>
  (inputs) => {
    const { samplerLogprob, advantage, mask } = inputs;
    const counts = withoutGradient(inputs.logprob, (logprob) => {
      const gap = tf.sub(samplerLogprob, logprob);
      const sum = tf.sum(tf.mul(gap, mask), 1, true);
      const meanGap = called('mean', [gap], tf.div(sum, tf.maximum(tf.sum(mask, 1, true), 1)));
      const far = tf.greater(tf.mul(meanGap, tf.onesLike(mask)), threshold);
      const left = tf.logicalAnd(far, tf.less(advantage, 0));
      return tf.cast(tf.logicalNot(left as tf.Tensor2D), 'float32');
    });
    return tf.mul(named('near', counts), loss(inputs));
  };
