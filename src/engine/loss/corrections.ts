/**
 * What sets right that another policy has sampled: weights for tokens that the sampler drew by other probabilities than the trainer's, and
 * leaving out answers that the policy has moved away from.
 */
import * as tf from '../backend/tf.ts';
import type { ImportanceMode } from './lossRows.ts';
import { finiteExp, stopGradient, withoutGradient, type LossInputs, type TokenLoss } from './inputs.ts';
import { called, named } from './tracing.ts';

export interface ImportanceSettings {
  /** Of each token or of the whole answer, and whether a weight out of bounds is cut to the bound or becomes 0. */
  readonly importanceMode: ImportanceMode;
  /** Bounds of the weight; null is none, and without either there is no weight. */
  readonly importanceFloor: number | null;
  readonly importanceCap: number | null;
}

export const correctsSampler = ({ importanceFloor, importanceCap }: ImportanceSettings): boolean =>
  importanceFloor !== null || importanceCap !== null;

/**
 * sg(p_old / q) [B, T] within its bounds, for generators whose probabilities differ a little from the trainer's. Of each token (truncated
 * importance sampling, Yao et al. 2025), or of the whole answer, the product over its tokens; `mask` takes what lies out of bounds for
 * too far gone, and gives it the weight 0 (TRL).
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
 * Off-policy sequence masking (DeepSeek-V3.2, 2025): ℓ = 0 where A < 0 in an answer that the policy has moved away from, the mean of
 * log q − log p over its tokens being above the threshold. What is far from the policy teaches it little about what not to do.
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
