/** The distance to a reference policy as a term of the loss. */
import * as tf from '../backend/tf.ts';
import { finiteExp, ratioOf, type RatioLevel, type TokenLoss } from './inputs.ts';
import { named } from './tracing.ts';

/**
 * Schulman's estimates of KL(p ‖ p_ref) at single tokens that p sampled ("Approximating KL divergence", 2020), with r = log p_ref − log
 * p. The quality of an estimate says nothing about its gradient, which does not pass through the sampling (Tang & Munos, "On a few
 * pitfalls in KL divergence gradient estimation for RL", 2025). E below is the mean over samples of p; samples of another policy keep
 * none of these properties.
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

export interface KlSettings {
  readonly estimator: 'k2' | 'k3';
  readonly beta: number;
  /**
   * Multiplies the estimate by ρ, through which the gradient passes too (DeepSeek-V3.2, 2025; TRL's `use_bias_correction_kl`). The
   * gradient of k3 then becomes that of KL(p ‖ p_ref), whoever sampled: E_old[∇(ρ k3)] = E[(k3 + 1 − exp(r)) ∇log p] = E[−r ∇log p].
   */
  readonly biasCorrection?: boolean;
}

/** β · k2, β · k3 or β · ρ · k3 against the reference policy. It acts at every token, whatever its advantage. */
export const klPenalty =
  ({ estimator, beta, biasCorrection = false }: KlSettings, level: RatioLevel = 'token'): TokenLoss =>
  (inputs) => {
    const { logprob, referenceLogprob } = inputs;
    const estimate = KL_ESTIMATORS[estimator](named('r', tf.sub(referenceLogprob, logprob)));
    const counted = biasCorrection ? tf.mul<tf.Tensor2D>(estimate, ratioOf(inputs, level)) : estimate;
    return tf.mul(beta, counted);
  };
