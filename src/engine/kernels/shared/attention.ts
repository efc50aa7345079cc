/** What attention may have besides the shape of its heads, the same in training and in decoding. */
export interface AttentionRule {
  /** The factor on the products of queries and keys; 1/√headDim by default. */
  readonly scale?: number;
  /** The number of positions that a query sees, its own the last of them; null or none for all. */
  readonly window?: number | null;
}

/** A window that is longer than any sequence; kernels subtract it from positions. */
const NO_WINDOW = 2 ** 31 - 1;

/** Both numbers as kernels take them. */
export function attentionRule({ headDim, scale, window }: AttentionRule & { readonly headDim: number }) {
  return { scale: scale ?? 1 / Math.sqrt(headDim), window: window ?? NO_WINDOW };
}
