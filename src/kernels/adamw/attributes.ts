export interface AdamwAttributes {
  readonly learningRate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  readonly weightDecay: number;
  /** Factor on the gradient: 1, or less where the global norm is clipped. */
  readonly gradientScale: number;
  /** 1 − β1^t and 1 − β2^t, in float64 on the host. */
  readonly correction1: number;
  readonly correction2: number;
}
