export interface TokenLogprobsAttributes {
  /** Logits are divided by it before the softmax. */
  readonly temperature: number;
  readonly vocabSize: number;
  /** First element of the head's weights [V, D] in their tensor. */
  readonly headOffset: number;
  /** First element of the second factor of the head's low-rank part; without meaning where it has none. */
  readonly lowRankOffset: number;
}

export interface TokenLogprobsGradientAttributes extends TokenLogprobsAttributes {
  /** Without meaning where the head is frozen. */
  readonly headGradientOffset: number;
  /** Without meaning where the head has no low-rank part. */
  readonly lowRankGradientOffset: number;
}
