/** RL for Real's measure of whether a group's answers differ at all. */
import type { MeasuredRollout, StepContext } from './context.ts';
import { optionalMetric } from './metric.ts';
import { byGroup, mean } from './statistics.ts';

function percentVaried(
  context: StepContext,
  value: (rollout: MeasuredRollout) => number | string | null,
): number | null {
  return mean(byGroup(context).map((group) => (new Set(group.map(value)).size > 1 ? 100 : 0)));
}

/** What right answers earn, without what the form earns. */
function accuracyReward({ reward: { parts, correct } }: MeasuredRollout): number {
  return parts['accuracy'] ?? Number(correct);
}

export const rewardVariancePct = optionalMetric({
  key: 'rewardVariancePct',
  names: ['train/reward_variance_pct'],
  label: 'Problems with varied accuracy reward',
  unit: 'percent',
  formula: '100 · share of groups with more than one distinct accuracy reward (without the format part)',
  value: (context) => percentVaried(context, accuracyReward),
});

export const answerVariancePct = optionalMetric({
  key: 'answerVariancePct',
  names: ['train/answer_variance_pct'],
  label: 'Problems with varied answers',
  unit: 'percent',
  formula: '100 · share of groups with more than one distinct extracted answer (none found is a value)',
  value: (context) => percentVaried(context, ({ reward }) => reward.extracted),
});
