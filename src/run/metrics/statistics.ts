/** Means and extremes over what a step holds. Over nothing they are null, never NaN. */
import { mean } from '@rl-playground/base/statistics';
import type { TrainedValues } from '@rl-playground/engine/parts';
import type { Rollout } from '../rollouts/rollout.ts';
import type { StepContext } from './context.ts';

/** The mean of `value` over every completion of a step, of which there is always one. */
export function completionMean({ rollouts }: StepContext, value: (rollout: Rollout) => number): number {
  return mean(rollouts.map(value));
}

/** The completions of each group, in order of the groups' first completions. */
export function byGroup({ rollouts }: StepContext): Rollout[][] {
  const groups = new Map<number, Rollout[]>();
  for (const rollout of rollouts) {
    const group = groups.get(rollout.group);
    if (group) group.push(rollout);
    else groups.set(rollout.group, [rollout]);
  }
  return [...groups.values()];
}

/** Value of token `t` of a completion; null where it was not measured. `sampled` is log q. */
export type TokenValue = (trained: TrainedValues, t: number, sampled: number) => number | null;

/** The tokens that were learned from: those of completions that entered the update and count in the loss. */
function eachValue({ rollouts }: StepContext, value: TokenValue, visit: (value: number) => void): void {
  for (const { trained, logprobs } of rollouts) {
    if (trained === null || !trained.counted) continue;
    logprobs.forEach((sampled, t) => {
      const term = value(trained, t, sampled);
      if (term !== null) visit(term);
    });
  }
}

/** Mean over the tokens that were learned from. */
export function tokenMean(context: StepContext, value: TokenValue): number | null {
  let sum = 0;
  let count = 0;
  eachValue(context, value, (term) => {
    sum += term;
    count++;
  });
  return count === 0 ? null : sum / count;
}

/** Least and greatest over the same tokens. */
export function tokenExtremes(
  context: StepContext,
  value: TokenValue,
): { readonly least: number; readonly greatest: number } | null {
  let [low, high] = [Infinity, -Infinity];
  eachValue(context, value, (term) => {
    low = Math.min(low, term);
    high = Math.max(high, term);
  });
  return low <= high ? { least: low, greatest: high } : null;
}

/** Element `t` of per-token values. @throws Error where an array is shorter than its completion. */
export function at(values: ArrayLike<number>, t: number): number {
  const value = values[t];
  if (value === undefined)
    throw new Error(`A completion's measured values hold ${values.length} tokens; token ${t + 1} is needed.`);
  return value;
}
