/** Mean and spread of the reward. */
import { standardDeviation } from '../../base/statistics.ts';
import { metric, optionalMetric } from './metric.ts';
import { completionMean, mean } from './statistics.ts';

export const reward = metric({
  key: 'reward',
  names: ['env/all/reward/total'],
  label: 'Reward',
  unit: 'reward',
  formula: 'mean of R over all completions of the step',
  value: (context) => completionMean(context, ({ reward: { total } }) => total),
});

export const rewardStd = metric({
  key: 'rewardStd',
  names: ['env/all/reward/std'],
  label: 'Standard deviation of the reward',
  unit: 'reward',
  formula: 'std of R over all completions (divides by n − 1; 0 for a single one)',
  value: ({ rollouts }) => standardDeviation(rollouts.map(({ reward: { total } }) => total)),
});

export const rewardGroupMean = optionalMetric({
  key: 'rewardGroupMean',
  names: ['reward/total', 'reward'],
  label: 'Reward, mean of groups',
  unit: 'reward',
  formula: 'mean over groups of the mean of R in the group',
  value: ({ rewardsPG }) => mean(rewardsPG.flatMap((rewardsG) => mean(rewardsG) ?? [])),
});

export const rewardGroupStd = optionalMetric({
  key: 'rewardGroupStd',
  names: ['reward_std'],
  label: 'Standard deviation within groups (or the batch)',
  unit: 'reward',
  formula:
    'mean over groups of the std of R in the group (divides by n − 1; groups of one left out); the std of all R where advantages are scaled by the batch',
  value: ({ rewardsPG, advantageScale }) =>
    advantageScale === 'batch'
      ? standardDeviation(rewardsPG.flat())
      : mean(rewardsPG.filter((rewardsG) => rewardsG.length > 1).map(standardDeviation)),
});
