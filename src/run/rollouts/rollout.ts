/**
 * What a step works on, and fills as it goes: a place in the run's stream of problems becomes a prompt, a prompt a group of completions, each
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
  /** How often it was asked before and its answers were thrown away: too old to train on, or broken. */
  readonly attempt: number;
  /** The level of difficulty at which it was first asked. Null: not asked yet, or a run without a curriculum. */
  readonly level: number | null;
}

/** One problem, as it is put to the model. */
export interface Prompt extends Place {
  readonly problem: Problem;
  /** Index of its task among those of the run. */
  readonly taskIndex: number;
  readonly question: string;
  readonly promptIds: readonly number[];
}

/** The completions of one prompt. */
export interface RolloutGroup {
  readonly prompt: Prompt;
  /** As the generators gave it, broken completions and all. */
  readonly result: GroupResult;
  /** Those that hold an answer, once they are scored; empty until then. */
  readonly rollouts: readonly Rollout[];
}

/** One completion. Arrays are of its tokens, log-probabilities in nats. */
export interface Rollout extends Prompt {
  /** Index of its group within the step. */
  readonly group: number;
  /** As the renderer reads it: an answer that ended with the renderer's own mark has stopped properly. */
  readonly text: string;
  readonly stopReason: StopReason;
  readonly reward: Reward;
  readonly tokens: readonly number[];
  /** log q: as the token was drawn. */
  readonly logprobs: readonly number[];
  /** After KL shaping, where there is any; empty until its group is compared. */
  readonly advantages: readonly number[];
  /** Mean over its tokens; all have the same but under KL shaping. */
  readonly advantage: number;
  /** Version of the weights that sampled it, and how many updates of the policy were made since (0 on-policy), at the start of training. */
  readonly policyVersion: number;
  readonly policyAge: number;
  /** Seconds from the group's start to its last token. */
  readonly samplingSeconds: number;
  /** How many it stands for in the distance to the reference (referenceSample.ts); 0 where its own is not measured, and until then. */
  readonly referenceWeight: number;
  /** What training on it saw; null where it was left out of the update, and until then. */
  readonly trained: TrainedValues | null;
}

/** How a run's answers are drawn; `stop`: the renderer's texts that end one. */
export function trainingSampling(config: RunConfig, stop: readonly string[]): SamplingSettings {
  const { temperature, topP, topK, minP, repetitionPenalty, samplerNoise, maxTokens } = config;
  return { temperature, topP, topK, minP, repetitionPenalty, logitNoise: samplerNoise, maxTokens, stop };
}

/** The completions of a group that hold an answer. Failure is data: a generator that fails leaves completions with stop reason `error`. */
export function completed(group: GroupResult | undefined): readonly SampledCompletion[] {
  return (group?.completions ?? []).filter((completion) => completion.stopReason !== 'error');
}

/** Whether it holds no answer at all. */
export function isBroken(group: GroupResult): boolean {
  return completed(group).length === 0;
}

/** What the first failed completion says. */
export function firstFailure(groups: readonly GroupResult[]): string {
  const failed = groups
    .flatMap((group) => group.completions)
    .find(({ stopReason }) => stopReason === 'error');
  return failed?.error ?? 'the generators returned nothing.';
}
