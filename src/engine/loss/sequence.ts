/** The data of losses: sequences, and values of their tokens. */

/** One prompt and its completion, with what a loss needs at each completion token. */
export interface Sequence {
  readonly promptIds: readonly number[];
  readonly tokens: readonly number[];
  /** log q, as sampled. */
  readonly samplerLogprobs: ArrayLike<number>;
  /** log p_old; by default the sampler's. */
  readonly oldLogprobs?: ArrayLike<number>;
  /** log p_ref, which a loss with a KL term needs. */
  readonly referenceLogprobs?: ArrayLike<number>;
  readonly advantages: ArrayLike<number>;
  /** V before the update and the return that it should become; a value head needs both to learn. */
  readonly oldValues?: ArrayLike<number>;
  readonly returns?: ArrayLike<number>;
  /** True if the sequence is left out of the loss: its weight is zero. */
  readonly masked?: boolean;
}

/** A sequence with the effects of the policy's entropy on each completion token (entropyTerms.ts). */
export interface MarkedSequence extends Sequence {
  /** 1 where the policy's term counts, else 0. Without it the term counts everywhere. */
  readonly kept?: ArrayLike<number>;
  /** d loss / d entropy; 0 by default. */
  readonly entropyWeights?: ArrayLike<number>;
}

/** Values of the completion tokens of each packed sequence, in nats. */
export interface TokenValues {
  /** log p before the update. */
  readonly logprobs: Float32Array[];
  /** Entropy of the full distribution. */
  readonly entropies: Float32Array[];
  /** V before the update, if the policy has a value head; empty without one and after a backward pass. */
  readonly values: Float32Array[];
}
