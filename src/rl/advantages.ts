/** From rewards to advantages. `rewardsPG`: one row of G rewards for each of P problems. */

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Added to σ so that a group of equal rewards divides by something (TRL's value). */
const STD_EPSILON = 1e-4;

/** Unbiased standard deviation (divides by n − 1); 0 for a single value. */
export function standardDeviation(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const centre = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1));
}

/**
 * Group-relative advantages of GRPO (Shao et al. 2024): A = R − mean(R of the group), and with `scaleByStd` divided by
 * (σ of the group + 1e-4). Without the division it is the Dr. GRPO form (Liu et al. 2025).
 */
export function groupAdvantages(rewardsPG: readonly (readonly number[])[], scaleByStd: boolean): number[][] {
  return rewardsPG.map((rewardsG) => {
    const centre = mean(rewardsG);
    const scale = scaleByStd ? standardDeviation(rewardsG) + STD_EPSILON : 1;
    return rewardsG.map((reward) => (reward - centre) / scale);
  });
}

/** REINFORCE with a scalar baseline: A = R − b. */
export function baselineAdvantages(rewardsPG: readonly (readonly number[])[], baseline: number): number[][] {
  return rewardsPG.map((rewardsG) => rewardsG.map((reward) => reward - baseline));
}

/** The Monarch system's moving baseline, updated after use: b ← decay·b + (1 − decay)·mean(R of this step). */
export function updatedBaseline(
  baseline: number,
  rewardsPG: readonly (readonly number[])[],
  decay: number,
): number {
  return decay * baseline + (1 - decay) * mean(rewardsPG.flat());
}

/** Share of groups whose rewards are not all equal: the only ones that move the policy under group centring. */
export function fractionMixed(rewardsPG: readonly (readonly number[])[]): number {
  return mean(rewardsPG.map((rewardsG) => (rewardsG.some((reward) => reward !== rewardsG[0]) ? 1 : 0)));
}
