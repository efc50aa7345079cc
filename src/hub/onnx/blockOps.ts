/** What a block is made of beyond plain products; each form of the graph says these in its own ops. */

export interface AttentionInputs {
  /** `past_key_values.N`, `present.N` and names inside the graph derive from it. */
  readonly layer: number;
  /** [batch, sequence, heads · headDim], before RoPE. */
  readonly query: string;
  /** [batch, sequence, kvHeads · headDim], before RoPE. */
  readonly key: string;
  readonly value: string;
}

export interface BlockOps {
  /** Versions of the sets of ops that the graph takes its nodes from, by domain. */
  readonly opsets: Readonly<Record<string, number>>;
  /** RMSNorm over the last axis. */
  norm(name: string, input: string, weight: string): string;
  /** The residual stream plus `update`, and the RMSNorm of that. */
  addNorm(
    name: string,
    residual: string,
    update: string,
    weight: string,
  ): { readonly sum: string; readonly normed: string };
  /** Causal attention with RoPE over cache and new positions, writing the cache's outputs. [batch, sequence, heads · headDim] */
  attention(inputs: AttentionInputs): string;
}

/** Names of a layer's cache tensors as transformers.js feeds and reads them. */
export function cacheNames(layer: number) {
  return {
    pastKey: `past_key_values.${layer}.key`,
    pastValue: `past_key_values.${layer}.value`,
    presentKey: `present.${layer}.key`,
    presentValue: `present.${layer}.value`,
  };
}
