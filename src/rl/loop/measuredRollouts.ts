/** The completions of a step as they are recorded, with what training saw at their tokens. */
import type { Row } from './rows.ts';
import type { Rollout, TrainedValues } from './rollouts.ts';

/** `trained`: of the rows that are trained on, in their order. `version`: of the weights that were trained. */
export function measuredRollouts(
  rows: readonly Row[],
  trained: readonly (TrainedValues | null)[],
  version: number,
): Rollout[] {
  const groups = [...new Set(rows.map(({ group }) => group))];
  const values = trained.values();
  return rows.map(({ group, scored, advantages, sequence }): Rollout => {
    const { asked, policyVersion, samplingSeconds } = group;
    const { completion, text, stopReason, reward } = scored;
    const { tokens, logprobs } = completion;
    return {
      problem: asked.problem,
      part: asked.part,
      question: asked.question,
      index: asked.index,
      attempt: asked.attempt,
      group: groups.indexOf(group),
      text,
      stopReason,
      reward,
      promptIds: asked.promptIds,
      tokens,
      logprobs,
      advantages,
      advantage: advantages.reduce((sum, advantage) => sum + advantage, 0) / Math.max(1, advantages.length),
      policyVersion,
      policyAge: version - policyVersion,
      samplingSeconds,
      trained: sequence === null ? null : (values.next().value ?? null),
    };
  });
}
