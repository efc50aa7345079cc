export interface DecodeAttentionAttributes {
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
}

export interface FillCacheAttributes {
  /** Padded length of the prompts in `rows`. */
  readonly length: number;
}
