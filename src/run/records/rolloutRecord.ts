/** A completion as a line of `rollouts.jsonl`, with the numbers of each of its tokens, and such a line read again. */
import { z } from 'zod';
import { messageOf } from '@rl-playground/base/errors';
import { checked, jsonLines, jsonNumber } from '@rl-playground/base/json';
import { mean } from '@rl-playground/base/statistics';
import type { Rollout } from '../rollouts/rollout.ts';
import type { Problem } from '@rl-playground/tasks/parts';

/** The part of a `Rollout` that its line holds. */
export interface RecordedRollout extends Omit<
  Rollout,
  'attempt' | 'level' | 'problem' | 'taskIndex' | 'samplingSeconds' | 'referenceWeight'
> {
  readonly problem: Pick<Problem, 'task' | 'answer'>;
}

/** Rounds to f32, which the loss is computed in: 9 digits name each of its numbers. */
const single = (value: number): number | null => jsonNumber(Number(Math.fround(value).toPrecision(9)));
const singles = (values: ArrayLike<number>): (number | null)[] => Array.from(values, single);

const same = (a: ArrayLike<number>, b: ArrayLike<number>): boolean =>
  a.length === b.length && Array.from(a).every((value, i) => Math.fround(value) === Math.fround(b[i] ?? NaN));

/** log p_old by the name of the field that has the same numbers, where one has. */
function oldLogprobs({
  logprobs,
  trained,
}: Rollout): 'logprobs' | 'train_logprobs' | (number | null)[] | null {
  if (trained === null) return null;
  if (same(trained.oldLogprobs, logprobs)) return 'logprobs';
  return same(trained.oldLogprobs, trained.logprobs) ? 'train_logprobs' : singles(trained.oldLogprobs);
}

/** Log-probabilities in nats; `answer` is the right one, `completion` what the model wrote. */
export function rolloutRecord(step: number, rollout: Rollout) {
  const { problem, reward, tokens, logprobs, advantages, trained } = rollout;
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
    reward: jsonNumber(reward.total),
    reward_parts: reward.parts,
    reward_reason: reward.reason,
    correct: reward.correct,
    format: reward.format,
    advantage: jsonNumber(rollout.advantage),
    trained_on: trained?.counted ?? false,
    stop_reason: rollout.stopReason,
    policy_version: rollout.policyVersion,
    policy_age: rollout.policyAge,
    mean_logprob: jsonNumber(mean(logprobs)),
    prompt_ids: rollout.promptIds,
    tokens,
    /** log q. */
    logprobs: singles(logprobs),
    /** It is null if every token has `advantage`. */
    advantages: advantages.every((each) => each === advantages[0]) ? null : singles(advantages),
    /** log p, log p_old, log p_ref and the entropy in the forward pass of the first update; null where there was none. */
    train_logprobs: trained && singles(trained.logprobs),
    old_logprobs: oldLogprobs(rollout),
    reference_logprobs:
      trained && trained.referenceLogprobs.length > 0 ? singles(trained.referenceLogprobs) : null,
    entropies: trained && singles(trained.entropies),
  };
}

const number = z.number().nullable();
const numbers = z.array(number);
const ids = z.array(z.number().int().nonnegative());

const lineSchema = z.object({
  step: z.number().int(),
  group: z.number().int(),
  problem_index: z.number().int(),
  task: z.string(),
  question: z.string(),
  answer: z.string(),
  completion: z.string(),
  extracted: z.string().nullable(),
  reward: number,
  reward_parts: z.record(z.string(), z.number()),
  reward_reason: z.string(),
  correct: z.boolean(),
  format: z.boolean(),
  advantage: number,
  trained_on: z.boolean(),
  stop_reason: z.enum(['eos', 'stop', 'max_tokens', 'error']),
  policy_version: z.number(),
  policy_age: z.number(),
  prompt_ids: ids,
  tokens: ids,
  logprobs: numbers,
  advantages: numbers.nullable(),
  train_logprobs: numbers.nullable(),
  old_logprobs: z.union([z.enum(['logprobs', 'train_logprobs']), numbers]).nullable(),
  reference_logprobs: numbers.nullable(),
  entropies: numbers.nullable(),
});

const plain = (values: readonly (number | null)[]): number[] => values.map((value) => value ?? NaN);

/**
 * The inverse of `rolloutRecord`, numbers of tokens in f32.
 *
 * @throws Error naming the first field that does not fit, or whose numbers are not as many as there are tokens.
 */
export function recordedRollout(json: unknown): RecordedRollout {
  const line = checked(lineSchema, json);
  const { tokens, advantage } = line;
  const logprobs = plain(line.logprobs);
  const trainLogprobs = line.train_logprobs && plain(line.train_logprobs);
  const advantages = line.advantages ? plain(line.advantages) : tokens.map(() => advantage ?? NaN);
  const old = line.old_logprobs;
  const trained = trainLogprobs && {
    logprobs: trainLogprobs,
    oldLogprobs: old === 'logprobs' ? logprobs : Array.isArray(old) ? plain(old) : trainLogprobs,
    referenceLogprobs: plain(line.reference_logprobs ?? []),
    entropies: plain(line.entropies ?? []),
    postLogprobs: null,
    counted: line.trained_on,
  };
  const lengths = [
    logprobs,
    advantages,
    ...(trained ? [trained.logprobs, trained.oldLogprobs, trained.entropies] : []),
    ...(line.reference_logprobs ? [line.reference_logprobs] : []),
  ];
  if (lengths.some(({ length }) => length !== tokens.length))
    throw new Error(`tokens: ${tokens.length}, but another number of values for them`);
  return {
    group: line.group,
    index: line.problem_index,
    question: line.question,
    problem: { task: line.task, answer: line.answer },
    promptIds: line.prompt_ids,
    text: line.completion,
    stopReason: line.stop_reason,
    reward: {
      total: line.reward ?? NaN,
      parts: line.reward_parts,
      correct: line.correct,
      format: line.format,
      reason: line.reward_reason,
      extracted: line.extracted,
    },
    tokens,
    logprobs,
    advantages,
    advantage: advantage ?? NaN,
    policyVersion: line.policy_version,
    policyAge: line.policy_age,
    trained,
  };
}

/** The answers in some lines. @throws Error with the number of the first line that can't be read. */
export function answersOf(lines: string): RecordedRollout[] {
  return [...jsonLines(lines)].map(({ line, json }) => {
    try {
      if ('error' in json) throw new Error(json.error);
      return recordedRollout(json.value);
    } catch (error) {
      throw new Error(`answer ${line}: ${messageOf(error)}`, { cause: error });
    }
  });
}
