export interface RmsNormAttributes {
  readonly epsilon: number;
  /** First element of γ in its tensor. */
  readonly gammaOffset: number;
}

export interface RmsNormGradientAttributes extends RmsNormAttributes {
  /** Without meaning where γ is frozen. */
  readonly gammaGradientOffset: number;
}
