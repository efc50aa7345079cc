/** Losses that fade an answer out as its ratio leaves 1, where clipping cuts it off. */
import * as tf from '../backend/tf.ts';
import { correctsSampler, importanceWeight, type ImportanceSettings } from './corrections.ts';
import { finiteExp, ratioOf, stopGradient, type RatioLevel, type TokenLoss } from './inputs.ts';
import { called, named } from './tracing.ts';

/** One number for A > 0 (VESPO: A ≥ 0), another for the rest. */
export interface BySign<Value> {
  readonly positive: Value;
  readonly negative: Value;
}

/**
 * SAPO, soft adaptive policy optimization (Gao et al. 2025; TRL): ℓ = −(4 / τ) · σ(τ (ρ − 1)) · A, with a temperature τ for A > 0 and
 * another for the rest. At ρ = 1 its derivative is that of −ρ · A.
 */
export const sapo =
  ({ sapo: { positive, negative }, ratioLevel }: SapoSettings): TokenLoss =>
  (inputs) => {
    const ratio = ratioOf(inputs, ratioLevel);
    const { advantage } = inputs;
    const gate = (temperature: number): tf.Tensor2D =>
      tf.mul(4 / temperature, tf.sigmoid(tf.mul<tf.Tensor2D>(temperature, tf.sub(ratio, 1))));
    const soft = tf.where(tf.greater(advantage, 0), gate(positive), gate(negative));
    return tf.neg(tf.mul<tf.Tensor2D>(soft, advantage));
  };

export interface SapoSettings {
  readonly sapo: BySign<number>;
  readonly ratioLevel: RatioLevel;
}

/** φ(W) = exp(λ) · W^k · exp(−λ W): 1 at W = 1, and 0 at either end. */
export interface GammaWeight {
  readonly k: number;
  readonly lambda: number;
}

/** The bound on a single log-ratio and on log W: beyond it W would be 0 or infinite in f32. */
const LARGEST_LOG = 20;
const SMALLEST_LOG = Math.log(1e-8);
const SMALLEST_LAMBDA = 1e-4;

/**
 * VESPO, variational sequence-level soft policy optimization (2026; TRL): ℓ = −sg(φ(W)) · A · log p, where W is the ratio of the whole
 * answer, the product over its tokens. A correction for the sampler is a factor of W and not of the loss.
 */
export const vespo =
  (settings: VespoSettings): TokenLoss =>
  (inputs) => {
    const { logprob, oldLogprob, advantage, mask } = inputs;
    const over = (values: tf.Tensor): tf.Tensor2D =>
      called('sum', [values], tf.sum(tf.mul(values, mask), 1, true));
    const drift = over(tf.clipByValue(tf.sub(logprob, oldLogprob), -LARGEST_LOG, LARGEST_LOG));
    const logRatio = correctsSampler(settings)
      ? tf.add<tf.Tensor2D>(drift, over(logWithin(importanceWeight(inputs, settings))))
      : drift;
    const bounded = tf.clipByValue(logRatio, SMALLEST_LOG, LARGEST_LOG);
    const logW = named('log W', tf.mul<tf.Tensor2D>(bounded, tf.onesLike(mask)));
    const weight = ({ k, lambda }: GammaWeight): tf.Tensor2D => {
      const rate = Math.max(lambda, SMALLEST_LAMBDA);
      return finiteExp(tf.sub(tf.add(tf.mul(k, logW), rate), tf.mul(rate, tf.exp(logW))));
    };
    const { positive, negative } = settings.vespo;
    const gamma = tf.where(tf.greaterEqual(advantage, 0), weight(positive), weight(negative));
    return tf.neg(tf.mul<tf.Tensor2D>(tf.mul(stopGradient(gamma), advantage), logprob));
  };

export interface VespoSettings extends ImportanceSettings {
  readonly vespo: BySign<GammaWeight>;
}

const logWithin = (weight: tf.Tensor2D): tf.Tensor2D =>
  tf.log(tf.clipByValue(weight, Math.exp(SMALLEST_LOG), Math.exp(LARGEST_LOG)));
