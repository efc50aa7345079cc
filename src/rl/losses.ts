/**
 * Losses over per-token log-probabilities. All arrays are flat [N]: prompt, padding and completion tokens of a microbatch.
 * `weights` holds each token's share in the reduction (zero outside completions), so a loss is a weighted sum and the
 * microbatches of a step add up to the loss of the whole batch.
 */
import * as tf from '../backend/tf.ts';

export interface LossInputs {
  /** log p of the token that was sampled, under the policy being trained. */
  readonly logprob: tf.Tensor1D;
  /** The sampler's log-probability of the same token, log q. */
  readonly samplerLogprob: tf.Tensor1D;
  /** log p of it under the policy at the start of the run. */
  readonly referenceLogprob: tf.Tensor1D;
  readonly advantage: tf.Tensor1D;
  readonly weights: tf.Tensor1D;
}

export interface LossChoice {
  readonly algorithm: 'grpo' | 'reinforce';
  /** Weight of the KL penalty; 0 leaves the term out. */
  readonly klBeta: number;
}

/** PPO's clipping range (Schulman et al. 2017). */
const CLIP = 0.2;

/** REINFORCE (Williams 1992): L = −Σ w · A · log p. */
export function reinforceLoss({ logprob, advantage, weights }: LossInputs): tf.Scalar {
  return tf.neg(tf.sum(tf.mul(tf.mul(weights, advantage), logprob)));
}

/**
 * GRPO's clipped surrogate (Shao et al. 2024): L = −Σ w · min(ρ·A, clip(ρ, 1 ± 0.2)·A), ρ = exp(log p − log q).
 * With one update per batch ρ is 1 up to rounding, and the gradient is REINFORCE's. Left out of the original: several
 * updates per batch; its KL term is `klPenalty`.
 */
export function grpoLoss({ logprob, samplerLogprob, advantage, weights }: LossInputs): tf.Scalar {
  const ratio = tf.exp(tf.sub(logprob, samplerLogprob));
  const clipped = tf.clipByValue(ratio, 1 - CLIP, 1 + CLIP);
  const surrogate = tf.minimum(tf.mul(ratio, advantage), tf.mul(clipped, advantage));
  return tf.neg(tf.sum(tf.mul(weights, surrogate)));
}

/**
 * Schulman's k3 estimate of KL(policy ‖ reference) per token: exp(r) − r − 1 with r = log p_ref − log p.
 * Never negative but for rounding (2⁻²³ in f32), unbiased under samples of the policy.
 */
export function k3({
  logprob,
  referenceLogprob,
}: Pick<LossInputs, 'logprob' | 'referenceLogprob'>): tf.Tensor1D {
  const r = tf.sub(referenceLogprob, logprob);
  return tf.sub(tf.sub(tf.exp(r), r), 1);
}

/** β · Σ w · k3. */
export function klPenalty(inputs: LossInputs, beta: number): tf.Scalar {
  return tf.mul(beta, tf.sum(tf.mul(inputs.weights, k3(inputs))));
}

/** Supervised fine-tuning: L = −Σ w · log p, the mean negative log-likelihood when w is 1 / number of tokens. */
export function negativeLogLikelihood({
  logprob,
  weights,
}: Pick<LossInputs, 'logprob' | 'weights'>): tf.Scalar {
  return tf.neg(tf.sum(tf.mul(weights, logprob)));
}

/** The loss that a config asks for: its policy-gradient term plus, where β > 0, the penalty on k3. */
export function lossOf({ algorithm, klBeta }: LossChoice): (inputs: LossInputs) => tf.Scalar {
  const policyLoss = algorithm === 'grpo' ? grpoLoss : reinforceLoss;
  if (klBeta === 0) return policyLoss;
  return (inputs) => tf.add(policyLoss(inputs), klPenalty(inputs, klBeta));
}
