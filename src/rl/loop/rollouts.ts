/** One completion of a step, with all that the step finds out about it. */
import type { Problem, Reward, StopReason } from '../../tasks/types.ts';

/** Arrays are of its completion tokens; log-probabilities in nats. */
export interface Rollout {
  readonly problem: Problem;
  /** Index of its task among those of the run. */
  readonly part: number;
  readonly question: string;
  /** Its problem's place in the run's stream, and how often that was asked before. */
  readonly index: number;
  readonly attempt: number;
  /** Index of its group within the step. */
  readonly group: number;
  /** What a reader sees of the answer. */
  readonly text: string;
  readonly stopReason: StopReason;
  readonly reward: Reward;
  readonly promptIds: readonly number[];
  readonly tokens: readonly number[];
  /** log q: as the token was drawn. */
  readonly logprobs: readonly number[];
  /** After KL shaping, where there is any. */
  readonly advantages: readonly number[];
  /** Mean over its tokens; all have the same but under KL shaping. */
  readonly advantage: number;
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
