/**
 * The record that a step fills as it goes: a place in the run's stream of problems becomes a prompt, a prompt a group of completions, each
 * completion a scored rollout, which is given its advantages and, where it is trained on, what training saw.
 */
import type { StopReason } from '@rl-playground/base/conversation';
import type {
  GroupResult,
  SampledCompletion,
  SamplingSettings,
  TrainedValues,
} from '@rl-playground/engine/parts';
import type { Problem, Reward } from '@rl-playground/tasks/parts';
import type { RunConfig } from '../settings/schema/schema.ts';

/** A problem of the run's stream: with the run's seed, all that decides what is asked and what is drawn. */
export interface Place {
  /** 0, 1, … */
  readonly index: number;
  /** Times that it was asked before and its answers were thrown away: too old to train on, or broken. */
  readonly attempt: number;
  /** The level of difficulty at which it was first asked. Null: not asked yet, or a run without a curriculum. */
  readonly level: number | null;
}

/** A problem as the model is asked it. */
export interface Prompt extends Place {
  readonly problem: Problem;
  /** The index of its task among those of the run. */
  readonly taskIndex: number;
  readonly question: string;
  readonly promptIds: readonly number[];
}

export interface RolloutGroup {
  readonly prompt: Prompt;
  /** The answer of the generators, broken completions and all. */
  readonly result: GroupResult;
  /** The completions that hold an answer, once they are scored; empty until then. */
  readonly rollouts: readonly Rollout[];
}

/** A completion. Arrays have an entry for each of its tokens; log-probabilities are in nats. */
export interface Rollout extends Prompt {
  /** The index of its group within the step. */
  readonly group: number;
  /** The text as the renderer reads it: an answer that ended with the renderer's own mark has stopped properly. */
  readonly text: string;
  readonly stopReason: StopReason;
  readonly reward: Reward;
  readonly tokens: readonly number[];
  /** log q: as the token was drawn. */
  readonly logprobs: readonly number[];
  /** Advantages after KL shaping, if there is any; empty until its group is compared. */
  readonly advantages: readonly number[];
  /** Mean over its tokens; all have the same but under KL shaping. */
  readonly advantage: number;
  /** Version of the weights that sampled it, and how many updates of the policy were made since (0 on-policy), at the start of training. */
  readonly policyVersion: number;
  readonly policyAge: number;
  /** Seconds from the group's start to its last token. */
  readonly samplingSeconds: number;
  /** It stands for so many in the distance to the reference (referenceSample.ts); 0 if its own is not measured, and until then. */
  readonly referenceWeight: number;
  /** The values that training on it saw; null if it was left out of the update, and until then. */
  readonly trained: TrainedValues | null;
}

/** The settings that a run's answers are drawn with; `stop` has the renderer's texts that end one. */
export function trainingSampling(config: RunConfig, stop: readonly string[]): SamplingSettings {
  const { temperature, topP, topK, minP, repetitionPenalty, samplerNoise, maxTokens } = config;
  return { temperature, topP, topK, minP, repetitionPenalty, logitNoise: samplerNoise, maxTokens, stop };
}

/** The completions of a group that hold an answer. Failure is data: a generator that fails leaves completions with stop reason `error`. */
export function completed(group: GroupResult | undefined): readonly SampledCompletion[] {
  return (group?.completions ?? []).filter((completion) => completion.stopReason !== 'error');
}

/** True if an answer counts in its group and in the update. */
export const isCounted = ({ reward }: Pick<Rollout, 'reward'>): boolean => reward.leftOut !== true;

/** The groups without the answers that their task leaves out, and without groups of which nothing is left. */
export function countedGroups(groups: readonly RolloutGroup[]): RolloutGroup[] {
  return groups
    .map((group) => ({ ...group, rollouts: group.rollouts.filter(isCounted) }))
    .filter(({ rollouts }) => rollouts.length > 0);
}

/** A broken group holds no answer at all. */
export function isBroken(group: GroupResult): boolean {
  return completed(group).length === 0;
}

/** The message of the first failed completion. */
export function firstFailure(groups: readonly GroupResult[]): string {
  const failed = groups
    .flatMap((group) => group.completions)
    .find(({ stopReason }) => stopReason === 'error');
  return failed?.error ?? 'the generators returned nothing.';
}
