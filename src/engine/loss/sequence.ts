/** What losses are computed of: sequences, and values of their tokens. */

/** One prompt and its completion, with what a loss needs at each completion token. */
export interface Sequence {
  readonly promptIds: readonly number[];
  readonly tokens: readonly number[];
  /** log q, as sampled. */
  readonly samplerLogprobs: ArrayLike<number>;
  /** log p_old; the sampler's where absent. */
  readonly oldLogprobs?: ArrayLike<number>;
  /** log p_ref; needed where the loss has a KL term. */
  readonly referenceLogprobs?: ArrayLike<number>;
  readonly advantages: ArrayLike<number>;
  /** V before the update, and what it is to become; needed where a value head is trained. */
  readonly oldValues?: ArrayLike<number>;
  readonly returns?: ArrayLike<number>;
  /** Left out of the loss: its weight is zero. */
  readonly masked?: boolean;
}

/** With what a loss makes of the policy's entropy at each completion token (entropyTerms.ts). */
export interface MarkedSequence extends Sequence {
  /** 1 where the policy's term counts, else 0; it counts everywhere where absent. */
  readonly kept?: ArrayLike<number>;
  /** d loss / d entropy; 0 where absent. */
  readonly entropyWeights?: ArrayLike<number>;
}

/** Of each sequence that was packed, values of its completion tokens, nats. */
export interface TokenValues {
  /** log p before the update. */
  readonly logprobs: Float32Array[];
  /** Entropy of the full distribution. */
  readonly entropies: Float32Array[];
  /** V before the update, of a policy with a value head; else empty, as it is of a backward pass. */
  readonly values: Float32Array[];
}
