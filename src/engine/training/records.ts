/** What updates leave behind: numbers of each pass of the optimizer, and what training saw of each completion. Units: nats. */

/** One pass of the optimizer. */
export interface UpdateRecord {
  /** With a value head, of both: policy plus coefficient times value head. */
  readonly loss: number;
  /** Of the value head, where there is one: its loss, and the share of tokens at which its clipping acted. */
  readonly value?: { readonly loss: number; readonly clipped: number };
  /** Global L2 norm before clipping. */
  readonly gradNorm: number;
  /** Means over its tokens, in its own forward passes. */
  readonly klSampleTrainV1: number;
  readonly klSampleTrainV2: number;
  /** Of its tokens in the same passes, log q being rounded to f32 as the loss takes it: the greatest |log q − log p|, and how many have none. */
  readonly greatestGap: number;
  readonly exactTokens: number;
  /** Shares of its tokens: ratio below its bound with a negative advantage, above with a positive one. */
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
  /** log p under the reference policy; empty where it was not measured. */
  readonly referenceLogprobs: ArrayLike<number>;
  /** Entropy of the full distribution. */
  readonly entropies: ArrayLike<number>;
  /** log p after the last update of the step, where that was measured. */
  readonly postLogprobs: ArrayLike<number> | null;
  /** False where the answer was cut and cut answers are left out of the loss. */
  readonly counted: boolean;
}
