export interface SelfAttentionAttributes {
  readonly batch: number;
  readonly length: number;
  readonly heads: number;
  /** Divides `heads`: each key/value head serves heads / kvHeads query heads (grouped-query attention). */
  readonly kvHeads: number;
  /** Even. */
  readonly headDim: number;
}
