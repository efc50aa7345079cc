/** The loss of a microbatch with its derivatives by the outputs of the model. */
import * as tf from '../backend/tf.ts';
import type { LossInputs, TokenLoss } from './inputs.ts';
import { reduced } from './losses.ts';

/** The outputs of the model: log p and entropy of each position, flat [B · T]. */
export interface ModelValues {
  readonly logprob: tf.Tensor;
  readonly entropy: tf.Tensor;
}

/**
 * L = Σ weight · ℓ + Σ entropyWeight · H, and d L / d log p and d L / d H [B · T]. `entropyWeights` [B, T], 0 outside the mask; null is 0
 * everywhere.
 */
export function lossDerivatives(
  loss: TokenLoss,
  held: Omit<LossInputs, 'logprob'>,
  { logprob, entropy }: ModelValues,
  weights: tf.Tensor2D,
  entropyWeights: tf.Tensor2D | null,
): { value: tf.Tensor; dlogprob: tf.Tensor; dentropy: tf.Tensor } {
  const { shape } = held.mask;
  const { value, grads } = tf.valueAndGrads((logprobs: tf.Tensor) =>
    reduced(loss, { ...held, logprob: tf.reshape(logprobs, shape) }, weights),
  )([logprob]);
  const [dlogprob] = grads as [tf.Tensor];
  if (entropyWeights === null) return { value, dlogprob, dentropy: tf.zerosLike(entropy) };
  const withEntropy = tf.tidy(() => {
    const within = tf.where(tf.greater(held.mask, 0), tf.reshape(entropy, shape), tf.zerosLike(held.mask));
    return tf.add(value, tf.sum(tf.mul(entropyWeights, within)));
  });
  value.dispose();
  return { value: withEntropy, dlogprob, dentropy: tf.reshape(entropyWeights, entropy.shape) };
}
