/**
 * Losses over per-token log-probabilities. All arrays are [B, T]: B sequences of a microbatch, T positions; `mask` is 1 at tokens of the
 * completion and 0 at the prompt and the padding. A loss gives ℓ for each token; the reduction weighs and sums them (reduction.ts).
 * p is the policy being trained, p_old the denominator of the ratio, q the sampler, A the advantage, ρ = exp(log p − log p_old).
 */
import * as tf from '../backend/tf.ts';
import type { LossName } from './lossRows.ts';
import {
  correctsSampler,
  importanceWeighted,
  offPolicyMasked,
  type ImportanceSettings,
} from './corrections.ts';
import { ratioOf, stopGradient, type LossInputs, type RatioLevel, type TokenLoss } from './inputs.ts';
import { klPenalty, type KlSettings } from './klPenalty.ts';
import { sapo, vespo, type SapoSettings, type VespoSettings } from './softClipping.ts';

/** The smallest and largest ratio that count, as Tinker writes them. TRL's ε give 1 − ε_low and 1 + ε_high. */
export interface RatioBounds {
  readonly low: number;
  readonly high: number;
}

export interface LossSettings extends ImportanceSettings, SapoSettings, VespoSettings {
  readonly loss: LossName;
  readonly bounds: RatioBounds;
  /** TRL's delta: the largest ratio that counts, whatever the sign of the advantage; null turns it off. */
  readonly delta: number | null;
  /** A ratio of its own for each token, or one for the whole sequence (GSPO). */
  readonly ratioLevel: RatioLevel;
  readonly droBeta: number;
  /** KL(p ‖ p_ref) as a term of the loss; null leaves it out. */
  readonly kl: KlSettings | null;
  /** The mean of log q − log p beyond which an answer with A < 0 teaches nothing; null turns it off. */
  readonly offPolicyThreshold: number | null;
}

/** The default settings: the loss alone, without additions. */
export const PLAIN_LOSS: Omit<LossSettings, 'loss'> = {
  bounds: { low: 0.8, high: 1.2 },
  delta: null,
  ratioLevel: 'token',
  droBeta: 0.05,
  sapo: { positive: 1, negative: 1.05 },
  vespo: { positive: { k: 2, lambda: 3 }, negative: { k: 3, lambda: 2 } },
  kl: null,
  importanceMode: 'token_truncate',
  importanceFloor: null,
  importanceCap: null,
  offPolicyThreshold: null,
};

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
 * clip of TRL), which also bounds the push against tokens of a negative advantage.
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
 * CISPO (MiniMax 2025): ℓ = −sg(clip(ρ, low, high)) · A · log p, so that a clipped ratio still trains. Tinker gives both bounds. TRL
 * gives only an upper one, which is the largest ratio itself: low 0, high ε_high.
 */
export const cispo =
  ({ bounds, ratioLevel }: Pick<LossSettings, 'bounds' | 'ratioLevel'>): TokenLoss =>
  (inputs) => {
    const weight = stopGradient(tf.clipByValue(ratioOf(inputs, ratioLevel), bounds.low, bounds.high));
    return tf.neg(tf.mul<tf.Tensor2D>(tf.mul(weight, inputs.advantage), inputs.logprob));
  };

/**
 * Direct reward optimization (Tinker's `dro`): ℓ = −(A · log p − ½ β (log p − log p_old)²). Tinker's version has no mask, so it also
 * pulls at the prompt; here the prompt does not count, as in every loss.
 */
export const dro =
  ({ droBeta }: Pick<LossSettings, 'droBeta'>): TokenLoss =>
  ({ logprob, oldLogprob, advantage }) => {
    const pull = tf.mul(0.5 * droBeta, tf.square(tf.sub(logprob, oldLogprob)));
    return tf.neg(tf.sub<tf.Tensor2D>(tf.mul(advantage, logprob), pull));
  };

/** Supervised fine-tuning: ℓ = −log p. */
export const negativeLogLikelihood: TokenLoss = ({ logprob }) => tf.neg(logprob);

/** The policy-gradient term of each loss. The five of GRPO's family share one and differ in their reduction (reduction.ts). */
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
  luspo: clippedSurrogate,
  sapo,
  vespo,
} satisfies Readonly<Record<LossName, (settings: LossSettings) => TokenLoss>>;

export const LOSS_NAMES = Object.keys(POLICY_LOSSES) as readonly LossName[];

/** The policy's term alone, weighted if the sampler is corrected for, and 0 for answers that are left out. */
function policyTerm(settings: LossSettings): TokenLoss {
  const { loss, offPolicyThreshold } = settings;
  const plain = POLICY_LOSSES[loss](settings);
  const weighed = correctsSampler(settings) && loss !== 'vespo' ? importanceWeighted(plain, settings) : plain;
  const near = offPolicyThreshold === null ? weighed : offPolicyMasked(weighed, offPolicyThreshold);
  return (inputs) => (inputs.kept ? tf.mul<tf.Tensor2D>(inputs.kept, near(inputs)) : near(inputs));
}

/** The loss of the settings: the policy's term plus the KL penalty. */
export function tokenLoss(settings: LossSettings): TokenLoss {
  const policy = policyTerm(settings);
  const { kl, ratioLevel } = settings;
  if (kl === null) return policy;
  const penalty = klPenalty(kl, ratioLevel);
  return (inputs) => tf.add(policy(inputs), penalty(inputs));
}

/**
 * L = Σ weight · ℓ. Outside the mask every array counts as 0, whatever it holds, so that nothing there can overflow and reach the sum or
 * its gradient.
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
    ...(inputs.kept && { kept: inputs.kept }),
  });
  return tf.sum(tf.mul(weights, tokens));
}
