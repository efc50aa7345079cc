/** Advantages of single tokens by the predictions of a value head, and the quality of these predictions. */
import { mean, standardDeviation } from '@rl-playground/base/statistics';

/** γ and λ of generalised advantage estimation, both in [0, 1]. */
export interface GaeSettings {
  readonly gamma: number;
  readonly lambda: number;
}

/** The estimate for each token of an answer. */
export interface ValueEstimate {
  /** A_t. */
  readonly advantages: number[];
  /** R_t = A_t + V_t, which the value head should predict. */
  readonly returns: number[];
}

/**
 * Generalised advantage estimation (Schulman et al. 2015): δ_t = r_t + γ V_{t+1} − V_t, A_t = δ_t + γ λ A_{t+1}. V_t is the value of the
 * state in which token t is chosen. After the last token V is 0, also for an answer that was cut, as in TRL.
 */
export function generalizedAdvantages(
  rewards: readonly number[],
  values: ArrayLike<number>,
  { gamma, lambda }: GaeSettings,
): ValueEstimate {
  const advantages = rewards.map(() => 0);
  let [nextValue, nextAdvantage] = [0, 0];
  for (let t = rewards.length - 1; t >= 0; t--) {
    const value = values[t] ?? NaN;
    const delta = (rewards[t] ?? NaN) + gamma * nextValue - value;
    nextAdvantage = delta + gamma * lambda * nextAdvantage;
    nextValue = value;
    advantages[t] = nextAdvantage;
  }
  return { advantages, returns: advantages.map((advantage, t) => advantage + (values[t] ?? NaN)) };
}

/** The reward of each token: the last token gets that of the answer. */
export function tokenRewards(tokens: number, reward: number): number[] {
  return Array.from({ length: tokens }, (_, t) => (t === tokens - 1 ? reward : 0));
}

/** The number added to the variance, as in TRL's `whiten`. */
const VARIANCE_EPSILON = 1e-8;

/**
 * (A − mean) / √(σ² + 1e-8) over all tokens of a batch, with σ² unbiased, as PPO's implementations standardize advantages. Tokens that
 * are not learned from (`counts`) take no part in mean and σ.
 */
export function standardized(
  advantages: readonly (readonly number[])[],
  counts: (index: number) => boolean,
): number[][] {
  const all = advantages.filter((_, i) => counts(i)).flat();
  if (all.length === 0) return advantages.map((row) => [...row]);
  const centre = mean(all);
  const scale = 1 / Math.sqrt(standardDeviation(all) ** 2 + VARIANCE_EPSILON);
  return advantages.map((row) => row.map((advantage) => (advantage - centre) * scale));
}

/** 1 − Var(R − V) / Var(R): 1 for a value head that predicts everything, 0 for one that knows no more than the mean, null if all R are equal. */
export function explainedVariance(values: readonly number[], returns: readonly number[]): number | null {
  const spread = standardDeviation(returns);
  if (spread === 0) return null;
  const missed = standardDeviation(returns.map((wanted, i) => wanted - (values[i] ?? NaN)));
  return 1 - (missed / spread) ** 2;
}
