export interface HeadRotationAttributes {
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  /** Of the norm over each head; without meaning where there is none. */
  readonly epsilon: number;
  /** First elements of the scales of the head norms in their tensors. */
  readonly queryNormOffset: number;
  readonly keyNormOffset: number;
}

export interface HeadRotationGradientAttributes extends HeadRotationAttributes {
  /** Without meaning where the scales are frozen. */
  readonly queryNormGradientOffset: number;
  readonly keyNormGradientOffset: number;
}
