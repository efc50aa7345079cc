/** The inputs of a loss over single tokens, and the ratio of probabilities that most losses are made of. */
import * as tf from '../backend/tf.ts';
import { called, named } from './tracing.ts';

/** [B, T] each: B sequences of a microbatch, T positions. */
export interface LossInputs {
  /** log p of the token that was sampled. */
  readonly logprob: tf.Tensor2D;
  /** log p_old of that token: recorded by the sampler, or computed by the trainer before the first update of the batch. */
  readonly oldLogprob: tf.Tensor2D;
  /** log q of that token. */
  readonly samplerLogprob: tf.Tensor2D;
  /** log p of that token under the reference policy. */
  readonly referenceLogprob: tf.Tensor2D;
  readonly advantage: tf.Tensor2D;
  /** 1 at tokens of the completion, 0 at the prompt and the padding. */
  readonly mask: tf.Tensor2D;
  /** 1 where the policy's term counts, 0 where the entropy is too low for that (entropyTerms.ts). Without it the term counts everywhere. */
  readonly kept?: tf.Tensor2D;
}

/** ℓ [B, T]; `reduced` gives no weight to entries outside the mask. */
export type TokenLoss = (inputs: LossInputs) => tf.Tensor2D;

/** A ratio of its own for each token, or one for the whole sequence. */
export type RatioLevel = 'token' | 'sequence';

/**
 * The result of(x), which has the shape of x and passes no gradient, whatever it is made of. tfjs has no stop-gradient, so a gradient of
 * zero is declared.
 */
export function withoutGradient(x: tf.Tensor2D, of: (x: tf.Tensor2D) => tf.Tensor2D): tf.Tensor2D {
  const blocked = tf.customGrad((given) => ({
    value: of(given as tf.Tensor2D),
    gradFunc: (dy) => tf.zerosLike(dy as tf.Tensor),
  }));
  return blocked(x) as tf.Tensor2D;
}

export function stopGradient(x: tf.Tensor2D): tf.Tensor2D {
  return called(
    'sg',
    [x],
    withoutGradient(x, (given) => given.clone()),
  );
}

/** The largest exponent: exp(80) ≈ 5.5e34 is within f32, with room for factors. */
const LARGEST_EXPONENT = 80;

/**
 * exp(x), which stays at exp(80) above x = 80, as its derivative does. An infinite ratio would turn each 0 that it meets into NaN, such
 * as the gradient of a clipped token or an advantage of 0. If such a ratio counts in full, the norm of the gradient is not finite, and
 * the optimizer refuses the update.
 */
export function finiteExp(x: tf.Tensor2D): tf.Tensor2D {
  const excess = stopGradient(tf.relu(tf.sub<tf.Tensor2D>(x, LARGEST_EXPONENT)));
  return called('exp', [x], tf.exp(tf.sub(x, excess)));
}

/**
 * ρ [B, T]. Token level: exp(log p − log p_old). Sequence level (GSPO, Zheng et al. 2025): exp of the mean of log p − log p_old over the
 * tokens of the sequence, the same for each of them.
 */
export function ratioOf(
  { logprob, oldLogprob, mask }: Pick<LossInputs, 'logprob' | 'oldLogprob' | 'mask'>,
  level: RatioLevel,
): tf.Tensor2D {
  const logRatio = tf.sub<tf.Tensor2D>(logprob, oldLogprob);
  if (level === 'token') return named('ρ', finiteExp(logRatio));
  const tokens = tf.maximum(tf.sum(mask, 1, true), 1);
  const meanLogRatio = called(
    'mean',
    [logRatio],
    tf.div<tf.Tensor2D>(tf.sum(tf.mul(logRatio, mask), 1, true), tokens),
  );
  return named('ρ', tf.mul<tf.Tensor2D>(finiteExp(meanLogRatio), tf.onesLike(mask)));
}
