export interface AdamwStepAttributes {
  /** Above 0; what the gradients are multiplied by before their norm is taken. 1 where it is left out. */
  readonly gradientScale?: number;
  readonly learningRate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  readonly weightDecay: number;
  /** Weight decay acts on this many elements from the start of the pool. */
  readonly decayedLength: number;
  /** Largest allowed global L2 norm of the gradient; 0 clips nothing. */
  readonly clipNorm: number;
  /** 1 − β1^t and 1 − β2^t, in float64 on the host. */
  readonly correction1: number;
  readonly correction2: number;
}
