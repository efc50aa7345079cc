export interface TokenLogprobsAttributes {
  /** Logits are divided by it before the softmax. */
  readonly temperature: number;
  readonly vocabSize: number;
  /** First element of the head's weights [V, D] in their tensor. */
  readonly headOffset: number;
}

export interface TokenLogprobsGradientAttributes extends TokenLogprobsAttributes {
  readonly headGradientOffset: number;
}
