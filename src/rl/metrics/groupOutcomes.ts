/** Groups whose rewards differ, and those that are all good or all bad. */
import { metric, optionalMetric } from './metric.ts';

/** Tinker's line between good and bad, on the reward. */
const GOOD = 0.5;

const constant = (rewardsG: readonly number[]): boolean => rewardsG.every((reward) => reward === rewardsG[0]);

function share(
  rewardsPG: readonly (readonly number[])[],
  test: (rewardsG: readonly number[]) => boolean,
): number {
  return rewardsPG.filter(test).length / rewardsPG.length;
}

export const fracMixed = metric({
  key: 'fracMixed',
  names: ['env/all/by_group/frac_mixed'],
  label: 'Mixed groups',
  unit: 'share',
  formula: 'share of groups whose rewards are not all equal: those with a signal under group centring',
  value: ({ rewardsPG }) => share(rewardsPG, (rewardsG) => !constant(rewardsG)),
});

export const fracAllGood = optionalMetric({
  key: 'fracAllGood',
  names: ['env/all/by_group/frac_all_good'],
  label: 'Groups all good',
  unit: 'share',
  formula: 'share of groups whose rewards are all equal and ≥ 0.5',
  value: ({ rewardsPG }) => share(rewardsPG, (rewardsG) => constant(rewardsG) && (rewardsG[0] ?? 0) >= GOOD),
});

export const fracAllBad = optionalMetric({
  key: 'fracAllBad',
  names: ['env/all/by_group/frac_all_bad'],
  label: 'Groups all bad',
  unit: 'share',
  formula: 'share of groups whose rewards are all equal and < 0.5',
  value: ({ rewardsPG }) => share(rewardsPG, (rewardsG) => constant(rewardsG) && (rewardsG[0] ?? 0) < GOOD),
});
