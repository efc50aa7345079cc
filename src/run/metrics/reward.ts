/** Metrics of the reward: its mean and spread, its parts, the rates of right and well-formed answers, and each task's share. */
import { mean, meanOrNull, standardDeviation } from '@rl-playground/base/statistics';
import { isMixed } from '@rl-playground/engine/parts';
import type { Reward, Task } from '@rl-playground/tasks/parts';
import type { Rollout } from '../rollouts/rollout.ts';
import { metric, optionalMetric, type StepContext } from './context.ts';
import { byGroup, completionMean } from './statistics.ts';

/** Tinker's line between good and bad, on the reward. */
const GOOD = 0.5;
/** The tolerance with which `torch.isclose` compares with zero. */
const NEARLY_ZERO = 1e-8;

function shareOfGroups({ rewardsPG }: StepContext, test: (rewardsG: readonly number[]) => boolean): number {
  return rewardsPG.filter(test).length / rewardsPG.length;
}

/** RL for Real's measure of whether a group's answers differ at all. */
function percentVaried(
  context: StepContext,
  value: (rollout: Rollout) => number | string | null,
): number | null {
  return meanOrNull(byGroup(context).map((group) => (new Set(group.map(value)).size > 1 ? 100 : 0)));
}

/** The reward for right answers, without that for the form. */
function accuracyReward({ reward: { parts, correct } }: Rollout): number {
  return parts['accuracy'] ?? Number(correct);
}

export const REWARD_METRICS = {
  reward: metric('reward', {
    names: ['env/all/reward/total'],
    label: 'Reward',
    formula: 'mean of R over all completions of the step',
    value: (context) => completionMean(context, ({ reward: { total } }) => total),
  }),
  rewardStd: metric('reward', {
    names: ['env/all/reward/std', 'reward_std'],
    label: 'Standard deviation of the reward',
    formula: 'std of R over all completions (divides by n − 1; 0 for a single one)',
    value: ({ rollouts }) => standardDeviation(rollouts.map(({ reward: { total } }) => total)),
  }),
  rewardGroupMean: optionalMetric('reward', {
    names: ['reward/total', 'reward'],
    label: 'Reward, mean of groups',
    formula: 'mean over groups of the mean of R in the group',
    value: ({ rewardsPG }) => meanOrNull(rewardsPG.flatMap((rewardsG) => meanOrNull(rewardsG) ?? [])),
  }),
  rewardGroupStd: optionalMetric('reward', {
    names: ['reward/group_std'],
    label: 'Standard deviation within groups',
    formula: 'mean over groups of the std of R in the group (divides by n − 1; groups of one left out)',
    value: ({ rewardsPG }) =>
      meanOrNull(rewardsPG.filter((rewardsG) => rewardsG.length > 1).map(standardDeviation)),
  }),
  accuracy: metric('share', {
    names: ['env/all/correct'],
    label: 'Accuracy',
    formula: 'share of completions whose extracted answer is right altogether',
    value: (context) => completionMean(context, ({ reward }) => Number(reward.correct)),
  }),
  format: metric('share', {
    names: ['env/all/format'],
    label: 'Format compliance',
    formula: 'share of completions in the right format',
    value: (context) => completionMean(context, ({ reward }) => Number(reward.format)),
  }),
  formatScore: optionalMetric('share', {
    names: ['train/format_score'],
    label: 'Tags of the format',
    formula:
      'mean over completions of the share of the tags think, /think, answer and /answer that each has; upstream scoring of reasoning-gym tasks',
    value: ({ rollouts }) => meanOrNull(rollouts.flatMap(({ reward }) => reward.formatScore ?? [])),
  }),
  fracMixed: metric('share', {
    names: ['env/all/by_group/frac_mixed'],
    label: 'Mixed groups',
    formula: 'share of groups whose rewards are not all equal: those with a signal under group centring',
    value: (context) => shareOfGroups(context, isMixed),
  }),
  fracAllGood: optionalMetric('share', {
    names: ['env/all/by_group/frac_all_good'],
    label: 'Groups all good',
    formula: 'share of groups whose rewards are all equal and ≥ 0.5',
    value: (context) =>
      shareOfGroups(context, (rewardsG) => !isMixed(rewardsG) && (rewardsG[0] ?? 0) >= GOOD),
  }),
  fracAllBad: optionalMetric('share', {
    names: ['env/all/by_group/frac_all_bad'],
    label: 'Groups all bad',
    formula: 'share of groups whose rewards are all equal and < 0.5',
    value: (context) => shareOfGroups(context, (rewardsG) => !isMixed(rewardsG) && (rewardsG[0] ?? 0) < GOOD),
  }),
  fracRewardZeroStd: optionalMetric('share', {
    names: ['frac_reward_zero_std'],
    label: 'Completions in groups without spread',
    formula: 'share of completions whose group has a std of R of at most 1e-8 (a group of one has 0)',
    value: ({ rewardsPG }) => {
      const flat = rewardsPG.filter((rewardsG) => standardDeviation(rewardsG) <= NEARLY_ZERO);
      return flat.flat().length / rewardsPG.flat().length;
    },
  }),
  rewardVariancePct: optionalMetric('percent', {
    names: ['train/reward_variance_pct'],
    label: 'Problems with varied accuracy reward',
    formula: '100 · share of groups with more than one distinct accuracy reward (without the format part)',
    value: (context) => percentVaried(context, accuracyReward),
  }),
  answerVariancePct: optionalMetric('percent', {
    names: ['train/answer_variance_pct'],
    label: 'Problems with varied answers',
    formula: '100 · share of groups with more than one distinct extracted answer (none found is a value)',
    value: (context) => percentVaried(context, ({ reward }) => reward.extracted),
  }),
  baseline: optionalMetric('reward', {
    names: ['baseline'],
    label: 'Moving baseline',
    formula: 'b, subtracted from R in the step; then b ← decay · b + (1 − decay) · mean of R',
    value: (context) => context.baseline,
  }),
} as const;

export interface RewardPart {
  readonly part: string;
  /** The mean over the completions whose reward has the part: a missing one is no zero. */
  readonly mean: number;
  /** Divides by n − 1; 0 for a single completion. */
  readonly std: number;
}

/** The parts in the order in which they first appear. */
export function rewardParts({ rollouts }: Pick<StepContext, 'rollouts'>): RewardPart[] {
  const values = new Map<string, number[]>();
  for (const { reward } of rollouts) {
    for (const [part, value] of Object.entries(reward.parts)) {
      const seen = values.get(part);
      if (seen) seen.push(value);
      else values.set(part, [value]);
    }
  }
  return [...values].map(([part, each]) => ({
    part,
    mean: mean(each),
    std: standardDeviation(each),
  }));
}

/** One of several tasks in a step or an evaluation, or one under a curriculum. */
export interface TaskShare {
  readonly task: string;
  readonly reward: number;
  readonly accuracy: number;
  readonly format: number;
  /** Completions; a task without any is left out. */
  readonly n: number;
  /** Level of difficulty, 1 the easiest; null without a curriculum. */
  readonly level: number | null;
}

/**
 * The shares of each task that has completions. `levels`: index of each task's level, or null without a curriculum. A run of one
 * task without a curriculum has nothing to tell apart: empty.
 */
export function taskShares(
  tasks: readonly { readonly task: Pick<Task, 'name'> }[],
  scored: readonly { readonly taskIndex: number; readonly reward: Reward }[],
  levels: readonly number[] | null,
): TaskShare[] {
  if (tasks.length === 1 && levels === null) return [];
  return tasks.flatMap(({ task }, taskIndex): TaskShare[] => {
    const rewards = scored.filter((each) => each.taskIndex === taskIndex).map(({ reward }) => reward);
    if (rewards.length === 0) return [];
    const level = levels?.[taskIndex];
    return [
      {
        task: task.name,
        reward: mean(rewards.map(({ total }) => total)),
        accuracy: mean(rewards.map(({ correct }) => Number(correct))),
        format: mean(rewards.map(({ format }) => Number(format))),
        n: rewards.length,
        level: level === undefined ? null : level + 1,
      },
    ];
  });
}
