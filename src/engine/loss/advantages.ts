/** Turns rewards into advantages, and shapes them by KL. `rewardsPG` has one row of G rewards for each of P problems; rows may differ in length. */
import { exactMean, standardDeviation } from '@rl-playground/base/statistics';

/** The number added to σ, so that rewards which hardly differ do not make huge advantages (TRL's value). */
const STD_EPSILON = 1e-4;

/** The arithmetic in which advantages are computed. */
export interface Arithmetic {
  readonly round: (value: number) => number;
  readonly mean: (values: readonly number[]) => number;
  /** The standard deviation (n − 1); 0 for fewer than two values. */
  readonly deviation: (values: readonly number[]) => number;
}

/** The arithmetic of a run, in which the mean of equal rewards is exactly that reward. */
const FLOAT64: Arithmetic = { round: (value) => value, mean: exactMean, deviation: standardDeviation };

/** The baseline that is subtracted from each reward. `moving` is a number that the run carries along. */
export type Baseline =
  | { readonly kind: 'group' | 'leave_one_out' | 'none' }
  | { readonly kind: 'moving'; readonly value: number };

/**
 * A = R − b. `group`: b is the mean of the group (GRPO, Shao et al. 2024; Tinker). The answer's own reward is part of it, which shrinks
 * the expected gradient by (G − 1) / G. `leave_one_out`: b is the mean of the others in the group (RLOO, Ahmadian et al. 2024), which is
 * unbiased; a group of one has no others, and b = 0. `moving`: b is the Monarch system's scalar. `none`: b = 0.
 */
export function centredAdvantages(
  rewardsPG: readonly (readonly number[])[],
  baseline: Baseline,
  { round, mean }: Arithmetic = FLOAT64,
): number[][] {
  return rewardsPG.map((rewardsG) => {
    if (baseline.kind === 'none') return [...rewardsG];
    if (baseline.kind === 'moving') return rewardsG.map((reward) => round(reward - baseline.value));
    const centre = mean(rewardsG);
    if (baseline.kind === 'group') return rewardsG.map((reward) => round(reward - centre));
    const others = rewardsG.length - 1;
    // R − (n · mean − R) / (n − 1) = (R − mean) · n / (n − 1), which is exactly 0 for equal rewards.
    return rewardsG.map((reward) =>
      others === 0 ? reward : round(((reward - centre) * rewardsG.length) / others),
    );
  });
}

/** The rewards whose standard deviation divides the advantages. */
export type AdvantageScale = 'none' | 'group' | 'batch';

/**
 * A / (σ + 1e-4), where σ is the standard deviation (n − 1) of the group's rewards (the first GRPO paper) or of all rewards of the batch
 * (TRL's "batch"); `none` leaves A as it is (Dr. GRPO, Liu et al. 2025; Tinker). If all rewards are equal, A is not scaled: it is 0 with
 * a group's baseline, and is not multiplied by ten thousand with another.
 */
export function scaledAdvantages(
  advantagesPG: readonly (readonly number[])[],
  rewardsPG: readonly (readonly number[])[],
  scale: AdvantageScale,
  { round, deviation }: Arithmetic = FLOAT64,
): number[][] {
  if (scale === 'none') return advantagesPG.map((advantagesG) => [...advantagesG]);
  const batch = deviation(rewardsPG.flat());
  return advantagesPG.map((advantagesG, p) => {
    const sigma = scale === 'batch' ? batch : deviation(rewardsPG[p] ?? []);
    return advantagesG.map((advantage) =>
      sigma === 0 ? advantage : round(advantage / round(sigma + STD_EPSILON)),
    );
  });
}

/**
 * Centres and scales each part of the reward by itself, so that a part with a wide range does not drown the others (GDPO, 2026; TRL's
 * `normalize_then_sum`). With z_k = (R_k − mean) / (σ + 1e-4) of part k within its group and S = Σ w_k z_k, A = (S − mean of S) / (σ_S +
 * 1e-4) over the whole batch. A null in `partsPGK` is a part that the answer does not have: it counts neither in the mean nor in the sum.
 * `weightsK` are 1 by default.
 */
export function decoupledAdvantages(
  partsPGK: readonly (readonly (readonly (number | null)[])[])[],
  weightsK: readonly number[] = [],
  { round, mean, deviation }: Arithmetic = FLOAT64,
): number[][] {
  const scaled = (distance: number, sigma: number): number => round(distance / round(sigma + STD_EPSILON));
  const sumsPG = partsPGK.map((partsGK) => {
    const count = Math.max(0, ...partsGK.map((partsK) => partsK.length));
    const spreads = Array.from({ length: count }, (_, k) => {
      const values = partsGK.flatMap((partsK) => partsK[k] ?? []);
      return { centre: mean(values), sigma: deviation(values) };
    });
    return partsGK.map((partsK) =>
      spreads.reduce((sum, { centre, sigma }, k) => {
        const value = partsK[k] ?? null;
        if (value === null) return sum;
        return round(sum + scaled(round((weightsK[k] ?? 1) * round(value - centre)), sigma));
      }, 0),
    );
  });
  const all = sumsPG.flat();
  const [centre, sigma] = [mean(all), deviation(all)];
  return sumsPG.map((sumsG) => sumsG.map((sum) => scaled(round(sum - centre), sigma)));
}

export interface ComparingSettings {
  /** The baseline of an answer's reward; `value` is the prediction of a value head for each token. */
  readonly baseline: Baseline['kind'] | 'value';
  readonly advantageScale: AdvantageScale;
  /** `sum_then_normalize` sums the parts of a reward first; `normalize_then_sum` centres and scales each by itself (GDPO). */
  readonly rewardAggregation: 'sum_then_normalize' | 'normalize_then_sum';
}

export interface Rewards {
  readonly rewardsPG: readonly (readonly number[])[];
  /** The parts of the rewards, as for `decoupledAdvantages`. */
  readonly partsPGK: readonly (readonly (readonly (number | null)[])[])[];
  readonly weightsK?: readonly number[];
}

/**
 * Returns the advantage of each answer under these settings. `moving` is the moving baseline. Under a value head they are zeros, because
 * it gives each token its own (valueAdvantages.ts). `arithmetic` is float64 unless another trainer's rounding is to be repeated.
 */
export function advantagesOf(
  { rewardsPG, partsPGK, weightsK }: Rewards,
  { baseline, advantageScale, rewardAggregation }: ComparingSettings,
  moving: number,
  arithmetic: Arithmetic = FLOAT64,
): number[][] {
  if (baseline === 'value') return rewardsPG.map((rewardsG) => rewardsG.map(() => 0));
  if (rewardAggregation === 'normalize_then_sum') return decoupledAdvantages(partsPGK, weightsK, arithmetic);
  const centredPG = centredAdvantages(
    rewardsPG,
    baseline === 'moving' ? { kind: baseline, value: moving } : { kind: baseline },
    arithmetic,
  );
  return scaledAdvantages(centredPG, rewardsPG, advantageScale, arithmetic);
}

/** The Monarch system's moving baseline, which is updated after use: b ← decay·b + (1 − decay)·mean(R of this step). */
export function updatedBaseline(
  baseline: number,
  rewardsPG: readonly (readonly number[])[],
  decay: number,
): number {
  return decay * baseline + (1 - decay) * exactMean(rewardsPG.flat());
}

/** True if the rewards of a group are not all equal. Only such groups move the policy under group centring. */
export function isMixed(rewardsG: readonly number[]): boolean {
  return rewardsG.some((reward) => reward !== rewardsG[0]);
}

/**
 * The indices of the groups that are trained on: all, or those that are not `constant` (Tinker's `remove_constant_reward_groups`). If all
 * are constant, the first is kept, so that a batch is never empty; a part of a streamed batch may be.
 */
export function keptGroups(
  rewardsPG: readonly (readonly number[])[],
  removeConstant: boolean,
  keepOne = true,
): number[] {
  const all = rewardsPG.map((_, p) => p);
  if (!removeConstant) return all;
  const mixed = all.filter((p) => isMixed(rewardsPG[p] ?? []));
  return mixed.length > 0 || !keepOne ? mixed : all.slice(0, 1);
}

export interface ShapingInputs {
  /** log q of one completion's tokens, as sampled at temperature 1. */
  readonly samplerLogprobs: ArrayLike<number>;
  readonly referenceLogprobs: ArrayLike<number>;
  /** True if the answer was cut and is left out of the loss: its tokens then neither count in the average nor get a share. */
  readonly masked?: boolean;
}

/** Tinker's KL penalty. The distance to the reference shapes the advantages of single tokens and is no term of the loss. */
export interface Shaping {
  /** The numbers that are added to the advantages of each sequence's tokens. */
  readonly added: number[][];
  /** The mean of log q − log π_ref over the tokens that count: the metric `kl_policy_base`. */
  readonly mean: number;
}

/**
 * Let d_t = log q_t − log π_ref,t, and avg its mean over the tokens of the batch. A_t gains x_t = coef · (avg − d_t), or with a discount
 * γ > 0 Σ_{k ≥ 0} γ^k x_{t+k}. Without the discount all gains sum to zero. One part of Tinker's code is left out: there the discounted
 * sum also reaches the prompt's positions, which then train; ours ends with the completion.
 */
export function klShaping(
  sequences: readonly ShapingInputs[],
  coefficient: number,
  discount: number,
): Shaping {
  let sum = 0;
  let count = 0;
  for (const { samplerLogprobs, referenceLogprobs, masked } of sequences) {
    if (masked === true) continue;
    for (let t = 0; t < samplerLogprobs.length; t++) {
      sum += (samplerLogprobs[t] ?? NaN) - (referenceLogprobs[t] ?? NaN);
      count++;
    }
  }
  const mean = count === 0 ? 0 : sum / count;
  const added = sequences.map(({ samplerLogprobs, referenceLogprobs, masked }) => {
    const gains = Array.from(samplerLogprobs, (logprob, t) =>
      masked === true ? 0 : coefficient * (mean - (logprob - (referenceLogprobs[t] ?? NaN))),
    );
    if (discount > 0)
      for (let t = gains.length - 2; t >= 0; t--) gains[t] = (gains[t] ?? 0) + discount * (gains[t + 1] ?? 0);
    return gains;
  });
  return { added, mean };
}
