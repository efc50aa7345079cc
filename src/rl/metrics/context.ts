/** What one step leaves behind for its metrics. Units: nats, seconds, tokens. */
import type { RunConfig } from '../../config/schema.ts';
import type { Clipping } from '../loss/lossOptions.ts';
import type { Problem, Reward, StopReason } from '../../tasks/types.ts';

/** A completion with everything that was measured at its tokens; arrays are of its completion tokens. */
export interface MeasuredRollout {
  readonly problem: Problem;
  /** Index of its task among those of the run. */
  readonly part: number;
  /** Index of its group within the step. */
  readonly group: number;
  readonly reward: Reward;
  readonly stopReason: StopReason;
  /** What a person would read of the answer, as the task extracted it. */
  readonly text: string;
  readonly promptIds: readonly number[];
  readonly tokens: readonly number[];
  /** log q: as the token was drawn. */
  readonly logprobs: readonly number[];
  /** After KL shaping, where there is any. */
  readonly advantages: readonly number[];
  /** Version of the weights that sampled it, and how many updates of the policy were made since (0 on-policy), at the start of training. */
  readonly policyVersion: number;
  readonly policyAge: number;
  /** Seconds from the group's start to its last token. */
  readonly samplingSeconds: number;
  /** What training on it saw; null where it was left out of the update. */
  readonly trained: TrainedValues | null;
}

/** Arrays of one completion's tokens. */
export interface TrainedValues {
  /** log p in the forward pass of its first update. */
  readonly logprobs: ArrayLike<number>;
  /** log p_old, the denominator of the ratio in that pass. */
  readonly oldLogprobs: ArrayLike<number>;
  /** log p under the reference policy. */
  readonly referenceLogprobs: ArrayLike<number>;
  /** Entropy of the full distribution. */
  readonly entropies: ArrayLike<number>;
  /** log p after the last update of the step, where that was measured. */
  readonly postLogprobs: ArrayLike<number> | null;
  /** False where the answer was cut and cut answers are left out of the loss. */
  readonly counted: boolean;
}

/** One pass of the optimizer. */
export interface UpdateRecord {
  readonly loss: number;
  /** Global L2 norm before clipping. */
  readonly gradNorm: number;
  /** Means over its tokens, in its own forward passes. */
  readonly klSampleTrainV1: number;
  readonly klSampleTrainV2: number;
  /** Shares of its tokens: ratio below its bound with a negative advantage, above with a positive one. */
  readonly clippedLow: number;
  readonly clippedHigh: number;
  readonly tokens: number;
}

export interface StepTimes {
  readonly total: number;
  /** Waiting for completions: under the synchronous schedule all of the sampling. */
  readonly rollout: number;
  readonly reward: number;
  readonly train: number;
  readonly sync: number;
  /** In which the trainer computed, and in which generators did (summed over them), between the step's beginning and its end. */
  readonly trainerBusy: number;
  readonly generatorsBusy: number;
}

export interface StepContext {
  /** 1 for the first. */
  readonly step: number;
  readonly totalSteps: number;
  /** All completions that were scored, by group, those of removed groups too. */
  readonly rollouts: readonly MeasuredRollout[];
  /** Rewards of the same by group. */
  readonly rewardsPG: readonly (readonly number[])[];
  /** Whose standard deviation advantages are divided by. */
  readonly advantageScale: RunConfig['advantageScale'];
  readonly updates: readonly UpdateRecord[];
  /** Updates that an early stop by KL left out. */
  readonly updatesSkipped: number;
  readonly learningRate: number;
  /** The moving baseline, where the algorithm has one. */
  readonly baseline: number | null;
  /** Version of the weights after the step. */
  readonly policyVersion: number;
  /** Tokens of prompts and completions in all steps so far, this one included. */
  readonly totalTokens: number;
  /** Groups that were too old and asked again, under the asynchronous schedule. */
  readonly groupsRequeued: number;
  /** Rollouts that broke, so far in the run. */
  readonly rolloutErrors: number;
  /** Groups none of whose rollouts came back, so far in the run. */
  readonly groupsSkipped: number;
  readonly generators: number;
  readonly times: StepTimes;
  /** Bytes of GPU (or wasm) memory at the end of the step; null where nobody knows. */
  readonly memoryBytes: number | null;
  readonly handedOverBytes: number;
  readonly maxTokens: number;
  /** Null where the loss clips nothing. */
  readonly clip: Clipping | null;
}
