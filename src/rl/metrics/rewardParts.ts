/** The named summands of the reward, as many as the step's tasks have. */
import { mean, standardDeviation } from '../../base/statistics.ts';
import type { StepContext } from './context.ts';

export interface RewardPart {
  readonly part: string;
  /** Over the completions whose reward has the part: a missing one is no zero. */
  readonly mean: number;
  /** Divides by n − 1; 0 for a single completion. */
  readonly std: number;
}

/** In the order in which the parts first appear. */
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
