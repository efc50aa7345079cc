/** Reward, accuracy and format of a run's tasks, one by one. */
import type { Reward } from '../../tasks/types.ts';
import type { MixTask } from './taskMix.ts';
import type { TaskShare } from '../types.ts';

/**
 * The shares of each task that has completions. `levels`: index of each part's level, or null without a curriculum. A run of one
 * task without a curriculum has nothing to tell apart: empty.
 */
export function taskShares(
  parts: readonly MixTask[],
  scored: readonly { readonly part: number; readonly reward: Reward }[],
  levels: readonly number[] | null,
): TaskShare[] {
  if (parts.length === 1 && levels === null) return [];
  return parts.flatMap(({ task }, part): TaskShare[] => {
    const rewards = scored.filter((each) => each.part === part).map(({ reward }) => reward);
    if (rewards.length === 0) return [];
    const mean = (value: (reward: Reward) => number): number =>
      rewards.reduce((sum, reward) => sum + value(reward), 0) / rewards.length;
    const level = levels?.[part];
    return [
      {
        task: task.name,
        reward: mean(({ total }) => total),
        accuracy: mean(({ correct }) => Number(correct)),
        format: mean(({ format }) => Number(format)),
        n: rewards.length,
        level: level === undefined ? null : level + 1,
      },
    ];
  });
}
