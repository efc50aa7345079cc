/** Records of updates: numbers of each pass of the optimizer, and what training saw of each completion. Units are nats. */

/** One pass of the optimizer. */
export interface UpdateRecord {
  /** The loss of the policy, plus that of the value head times its coefficient if there is one. */
  readonly loss: number;
  /** The loss of the value head, if there is one, and the share of tokens whose value was clipped. */
  readonly value?: { readonly loss: number; readonly clipped: number };
  /** The global L2 norm before clipping. */
  readonly gradNorm: number;
  /** The means over the update's tokens, in its own forward passes. */
  readonly klSampleTrainV1: number;
  readonly klSampleTrainV2: number;
  /**
   * The greatest |log q − log p| of a token in these passes, with log q rounded to f32 as in the loss, and the number of tokens without a
   * difference.
   */
  readonly greatestGap: number;
  readonly exactTokens: number;
  /** The shares of tokens whose ratio is below its bound with a negative advantage, or above it with a positive one. */
  readonly clippedLow: number;
  readonly clippedHigh: number;
  readonly tokens: number;
}

/** Arrays of one completion's tokens. */
export interface TrainedValues {
  /** log p in the forward pass of its first update. */
  readonly logprobs: ArrayLike<number>;
  /** log p_old, the denominator of the ratio in that pass. */
  readonly oldLogprobs: ArrayLike<number>;
  /** log p under the reference policy; empty if it was not measured. */
  readonly referenceLogprobs: ArrayLike<number>;
  /** Entropy of the full distribution. */
  readonly entropies: ArrayLike<number>;
  /** log p after the last update of the step, or null if it was not measured. */
  readonly postLogprobs: ArrayLike<number> | null;
  /** False if the answer was cut and cut answers are left out of the loss. */
  readonly counted: boolean;
}
