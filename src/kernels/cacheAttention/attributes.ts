export interface CacheAttentionAttributes {
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
}

export interface FillCacheAttributes extends CacheAttentionAttributes {
  /** Positions of each prefilled row. */
  readonly length: number;
}

export interface ForkCacheAttributes {
  /** Positions to copy. */
  readonly length: number;
}
