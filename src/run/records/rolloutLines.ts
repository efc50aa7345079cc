/** One line of `rollouts.jsonl` per completion. */
import { mean } from '../../base/statistics.ts';
import type { Rollout } from '../../rl/loop/rollouts.ts';

/** JSON has no NaN or infinity. */
const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

/** The object of a line. Log-probability in nats; `answer` is the right one, `completion` what the model wrote. */
export function rolloutRecord(step: number, rollout: Rollout) {
  const { problem, reward, tokens, logprobs } = rollout;
  return {
    step,
    group: rollout.group,
    problem_index: rollout.index,
    attempt: rollout.attempt,
    task: problem.task,
    question: rollout.question,
    answer: problem.answer,
    completion: rollout.text,
    extracted: reward.extracted,
    prompt_tokens: rollout.promptIds.length,
    completion_tokens: tokens.length,
    reward: finite(reward.total),
    reward_parts: reward.parts,
    correct: reward.correct,
    format: reward.format,
    advantage: finite(rollout.advantage),
    trained_on: rollout.trained?.counted ?? false,
    stop_reason: rollout.stopReason,
    policy_version: rollout.policyVersion,
    policy_age: rollout.policyAge,
    mean_logprob: finite(mean(logprobs)),
  };
}

/** The lines of a step, each with its newline. */
export function rolloutLines(step: number, rollouts: readonly Rollout[]): string {
  return rollouts.map((rollout) => `${JSON.stringify(rolloutRecord(step, rollout))}\n`).join('');
}
