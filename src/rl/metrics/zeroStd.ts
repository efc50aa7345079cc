/** Completions from which comparing within the group learns nothing. */
import { standardDeviation } from '../../base/statistics.ts';
import { optionalMetric } from './metric.ts';

/** As `torch.isclose` compares with zero. */
const NEARLY_ZERO = 1e-8;

export const fracRewardZeroStd = optionalMetric({
  key: 'fracRewardZeroStd',
  names: ['frac_reward_zero_std'],
  label: 'Completions in groups without spread',
  unit: 'share',
  formula: 'share of completions whose group has a std of R of at most 1e-8 (a group of one has 0)',
  value: ({ rewardsPG }) => {
    const flat = rewardsPG.filter((rewardsG) => standardDeviation(rewardsG) <= NEARLY_ZERO);
    return flat.flat().length / rewardsPG.flat().length;
  },
});
