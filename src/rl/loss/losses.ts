/**
 * Losses over per-token log-probabilities. All arrays are [B, T]: B sequences of a microbatch, T positions; `mask` is 1 at tokens of the
 * completion and 0 at the prompt and the padding. A loss gives ℓ for each token; the reduction weighs and sums them (reduction.ts).
 * p is the policy being trained, p_old the denominator of the ratio, q the sampler, A the advantage, ρ = exp(log p − log p_old).
 */
import * as tf from '../../backend/tf.ts';
import type { LossName } from '../../config/losses.ts';

export interface LossInputs {
  /** log p of the token that was sampled. */
  readonly logprob: tf.Tensor2D;
  /** log p_old of it: what the sampler recorded, or the trainer's own before the first update of the batch. */
  readonly oldLogprob: tf.Tensor2D;
  /** log q of it. */
  readonly samplerLogprob: tf.Tensor2D;
  /** log p of it under the reference policy. */
  readonly referenceLogprob: tf.Tensor2D;
  readonly advantage: tf.Tensor2D;
  readonly mask: tf.Tensor2D;
}

/** [B, T]; `reduced` gives no weight to entries outside the mask. */
export type TokenLoss = (inputs: LossInputs) => tf.Tensor2D;

/** Smallest and largest ratio that count, as Tinker writes them; TRL's ε stands for 1 − ε_low and 1 + ε_high. */
export interface RatioBounds {
  readonly low: number;
  readonly high: number;
}

export interface LossSettings {
  readonly loss: LossName;
  readonly bounds: RatioBounds;
  /** TRL's delta: a ratio that never counts more, whatever the sign of the advantage; null is off. */
  readonly delta: number | null;
  /** A ratio of its own for each token, or one for the whole sequence (GSPO). */
  readonly ratioLevel: 'token' | 'sequence';
  readonly droBeta: number;
  /** KL(p ‖ p_ref) as a term of the loss; null leaves it out. */
  readonly kl: { readonly estimator: 'k2' | 'k3'; readonly beta: number } | null;
  /** Largest weight of truncated importance sampling; null is off. */
  readonly importanceCap: number | null;
}

/** The gradient does not pass: tfjs knows no stop-gradient, so a gradient of zero is declared. */
const blocked = tf.customGrad((x) => ({
  value: (x as tf.Tensor).clone(),
  gradFunc: (dy) => tf.zerosLike(dy as tf.Tensor),
}));

export function stopGradient(x: tf.Tensor2D): tf.Tensor2D {
  return blocked(x) as tf.Tensor2D;
}

/** exp(80) ≈ 5.5e34: within f32, with room for what it is multiplied by. */
const LARGEST_EXPONENT = 80;

/**
 * exp(x), which stays at exp(80) above x = 80, as its derivative does. An infinite ratio would turn each 0 that it meets into NaN: the
 * gradient of a clipped token, an advantage of 0. Where such a ratio counts in full the norm of the gradient is not finite, and the
 * optimizer refuses the update.
 */
function finiteExp(x: tf.Tensor2D): tf.Tensor2D {
  const excess = stopGradient(tf.relu(tf.sub<tf.Tensor2D>(x, LARGEST_EXPONENT)));
  return tf.exp(tf.sub(x, excess));
}

/**
 * ρ [B, T]. Token level: exp(log p − log p_old). Sequence level (GSPO, Zheng et al. 2025): exp of the mean of log p − log p_old over the
 * tokens of the sequence, the same for each of them.
 */
export function ratioOf(
  { logprob, oldLogprob, mask }: Pick<LossInputs, 'logprob' | 'oldLogprob' | 'mask'>,
  level: 'token' | 'sequence',
): tf.Tensor2D {
  const logRatio = tf.sub<tf.Tensor2D>(logprob, oldLogprob);
  if (level === 'token') return finiteExp(logRatio);
  const tokens = tf.maximum(tf.sum(mask, 1, true), 1);
  const meanLogRatio = tf.div<tf.Tensor2D>(tf.sum(tf.mul(logRatio, mask), 1, true), tokens);
  return tf.mul<tf.Tensor2D>(finiteExp(meanLogRatio), tf.onesLike(mask));
}

/** REINFORCE (Williams 1992): ℓ = −A · log p. */
export const reinforce: TokenLoss = ({ logprob, advantage }) =>
  tf.neg(tf.mul<tf.Tensor2D>(advantage, logprob));

/** Importance sampling (Tinker): ℓ = −ρ · A. */
export const importanceSampling =
  ({ ratioLevel }: Pick<LossSettings, 'ratioLevel'>): TokenLoss =>
  (inputs) =>
    tf.neg(tf.mul<tf.Tensor2D>(ratioOf(inputs, ratioLevel), inputs.advantage));

/**
 * PPO's clipped surrogate (Schulman et al. 2017): ℓ = −min(ρ · A, clip(ρ, low, high) · A). With δ the first ρ is min(ρ, δ) (the two-sided
 * clip of TRL), which bounds the push against tokens of a negative advantage too.
 */
export const clippedSurrogate =
  ({ bounds, delta, ratioLevel }: Pick<LossSettings, 'bounds' | 'delta' | 'ratioLevel'>): TokenLoss =>
  (inputs) => {
    const ratio = ratioOf(inputs, ratioLevel);
    const clipped = tf.clipByValue(ratio, bounds.low, bounds.high);
    const capped = delta === null ? ratio : tf.minimum<tf.Tensor2D>(ratio, delta);
    const { advantage } = inputs;
    return tf.neg(tf.minimum<tf.Tensor2D>(tf.mul(capped, advantage), tf.mul(clipped, advantage)));
  };

/**
 * CISPO (MiniMax 2025): ℓ = −sg(clip(ρ, low, high)) · A · log p: a clipped ratio still trains. Tinker gives both bounds; TRL only an upper
 * one, which is the largest ratio itself: low 0, high ε_high.
 */
export const cispo =
  ({ bounds }: Pick<LossSettings, 'bounds'>): TokenLoss =>
  (inputs) => {
    const weight = stopGradient(tf.clipByValue(ratioOf(inputs, 'token'), bounds.low, bounds.high));
    return tf.neg(tf.mul<tf.Tensor2D>(tf.mul(weight, inputs.advantage), inputs.logprob));
  };

/**
 * Direct reward optimization (as Tinker's `dro`): ℓ = −(A · log p − ½ β (log p − log p_old)²). Tinker's has no mask, and so pulls at the
 * prompt as well; here, as for every loss, the prompt does not count.
 */
export const dro =
  ({ droBeta }: Pick<LossSettings, 'droBeta'>): TokenLoss =>
  ({ logprob, oldLogprob, advantage }) => {
    const pull = tf.mul(0.5 * droBeta, tf.square(tf.sub(logprob, oldLogprob)));
    return tf.neg(tf.sub<tf.Tensor2D>(tf.mul(advantage, logprob), pull));
  };

/** Supervised fine-tuning: ℓ = −log p. */
export const negativeLogLikelihood: TokenLoss = ({ logprob }) => tf.neg(logprob);

/**
 * Schulman's estimates of KL(p ‖ p_ref) at single tokens that p sampled ("Approximating KL divergence", 2020), with r = log p_ref − log p.
 * How good an estimate is says nothing of its gradient, which passes the sampling by (Tang & Munos, "On a few pitfalls in KL divergence
 * gradient estimation for RL", 2025): E below is the mean over samples of p. Samples of another policy keep none of these properties.
 */
export const KL_ESTIMATORS = {
  /** k1 = −r: unbiased, of either sign. As a loss it does nothing: E[∇k1] = E[∇log p] = 0. */
  k1: (r: tf.Tensor2D): tf.Tensor2D => tf.neg(r),
  /** k2 = ½ r²: never negative, biased by terms of third order in r. As a loss it is right: E[∇k2] = E[−r ∇log p] = ∇KL(p ‖ p_ref). */
  k2: (r: tf.Tensor2D): tf.Tensor2D => tf.mul(0.5, tf.square(r)),
  /**
   * k3 = exp(r) − r − 1: never negative, unbiased. As a loss it descends the other divergence: E[∇k3] = E[(1 − p_ref / p) ∇log p] =
   * ∇KL(p_ref ‖ p), which agrees with k2's to first order in r.
   */
  k3: (r: tf.Tensor2D): tf.Tensor2D => tf.sub(tf.sub(finiteExp(r), r), 1),
} as const;

/** β · k2 or β · k3 against the reference policy. It acts at every token, whatever its advantage and ratio. */
export const klPenalty =
  (estimator: 'k2' | 'k3', beta: number): TokenLoss =>
  ({ logprob, referenceLogprob }) =>
    tf.mul(beta, KL_ESTIMATORS[estimator](tf.sub(referenceLogprob, logprob)));

/**
 * Truncated importance sampling (Yao et al. 2025; TRL): sg(min(p_old / q, cap)) · ℓ, for generators whose probabilities differ a little
 * from the trainer's.
 */
export const truncatedImportance =
  (loss: TokenLoss, cap: number): TokenLoss =>
  (inputs) => {
    const { oldLogprob, samplerLogprob } = inputs;
    const weight = tf.minimum<tf.Tensor2D>(finiteExp(tf.sub(oldLogprob, samplerLogprob)), cap);
    return tf.mul(stopGradient(weight), loss(inputs));
  };

/** The policy-gradient term of each loss. The four of GRPO's family share one and differ in their reduction (reduction.ts). */
const POLICY_LOSSES = {
  reinforce: () => reinforce,
  importance_sampling: importanceSampling,
  ppo: clippedSurrogate,
  cispo,
  dro,
  grpo: clippedSurrogate,
  bnpo: clippedSurrogate,
  dr_grpo: clippedSurrogate,
  dapo: clippedSurrogate,
} satisfies Readonly<Record<LossName, (settings: LossSettings) => TokenLoss>>;

export const LOSS_NAMES = Object.keys(POLICY_LOSSES) as readonly LossName[];

/** The loss that settings ask for: the policy term, weighed where truncated importance sampling is on, plus the KL penalty. */
export function tokenLoss(settings: LossSettings): TokenLoss {
  const plain = POLICY_LOSSES[settings.loss](settings);
  const policy = settings.importanceCap === null ? plain : truncatedImportance(plain, settings.importanceCap);
  const { kl } = settings;
  if (kl === null) return policy;
  const penalty = klPenalty(kl.estimator, kl.beta);
  return (inputs) => tf.add(policy(inputs), penalty(inputs));
}

/**
 * L = Σ weight · ℓ. Outside the mask every array is taken as 0, whatever it holds, so that nothing there can overflow and reach the sum
 * or its gradient.
 */
export function reduced(loss: TokenLoss, inputs: LossInputs, weights: tf.Tensor2D): tf.Scalar {
  const counts = tf.greater(inputs.mask, 0);
  const masked = (values: tf.Tensor2D): tf.Tensor2D => tf.where(counts, values, tf.zerosLike(values));
  const tokens = loss({
    logprob: masked(inputs.logprob),
    oldLogprob: masked(inputs.oldLogprob),
    samplerLogprob: masked(inputs.samplerLogprob),
    referenceLogprob: masked(inputs.referenceLogprob),
    advantage: masked(inputs.advantage),
    mask: inputs.mask,
  });
  return tf.sum(tf.mul(weights, tokens));
}
