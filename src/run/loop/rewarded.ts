/** Tasks whose answers a reward model scores too, beside their own grader or instead of it. */
import { scoreItems, type Reward, type ScoredItem, type Task } from '@rl-playground/tasks/parts';
import type { RunConfig } from '../settings/schema/schema.ts';
import type { MixTask } from './taskMix.ts';
import { questionOf, rewardModelOf, type ScoreOutcome } from '../rewardModel/rewardModel.ts';

/** The name of the model's share among the parts of a reward. */
const PART = 'reward_model';

type Settings = Pick<
  RunConfig,
  'rewardModel' | 'rewardPipeline' | 'rewardLabel' | 'rewardWeight' | 'graderWeight'
>;

/** The weighted sum of a grader's reward and a model's score. An answer that the model fails for is left out. */
export function withScore(
  reward: Reward,
  outcome: ScoreOutcome,
  {
    rewardWeight,
    graderWeight,
    rewardLabel,
  }: Pick<Settings, 'rewardWeight' | 'graderWeight' | 'rewardLabel'>,
): Reward {
  const score = 'score' in outcome ? outcome.score : 0;
  const own = graderWeight === 0 ? [] : Object.entries(reward.parts);
  const parts = {
    ...Object.fromEntries(own.map(([name, value]) => [name, graderWeight * value])),
    [PART]: rewardWeight * score,
  };
  const total = (graderWeight === 0 ? 0 : graderWeight * reward.total) + rewardWeight * score;
  if ('error' in outcome)
    return {
      ...reward,
      total,
      parts,
      reason: outcome.error,
      error: outcome.error,
      ofModel: true,
      leftOut: true,
    };
  const label = rewardLabel === '' ? 'The reward model' : `The reward model on "${rewardLabel}"`;
  return { ...reward, total, parts, reason: `${reward.reason} ${label}: ${score.toFixed(3)}.` };
}

function rewarded(task: Task, config: Settings): Task {
  return {
    ...task,
    scoreAll: async (items: readonly ScoredItem[], settings) => {
      const rewards = await scoreItems(task, items, settings);
      const texts = items.map(({ problem, completion: { text } }) => ({
        text,
        reference: config.rewardLabel === '' ? problem.answer : config.rewardLabel,
      }));
      const outcomes = await rewardModelOf(config).score(texts, questionOf(config));
      return rewards.map((reward, i) =>
        withScore(reward, outcomes[i] ?? { error: 'The reward model gave no score.' }, config),
      );
    },
  };
}

/** The tasks as a run of these settings scores them. */
export function rewardedTasks(tasks: readonly MixTask[], config: Settings): readonly MixTask[] {
  if (config.rewardModel === '') return tasks;
  return tasks.map((mixTask) => ({ ...mixTask, task: rewarded(mixTask.task, config) }));
}
