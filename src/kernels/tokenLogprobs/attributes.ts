export interface TokenLogprobsAttributes {
  /** Logits are divided by it before the softmax. */
  readonly temperature: number;
}
