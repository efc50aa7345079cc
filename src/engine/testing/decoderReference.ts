/**
 * A decoder written out in float64 from the papers: RMSNorm (Zhang & Sennrich 2019), RoPE (Su et al. 2021), grouped-query attention
 * (Ainslie et al. 2023), SwiGLU (Shazeer 2020). It takes one sequence at a time, without cache or libraries, and judges the fast ones.
 */
import type { ModelConfig } from '../model/config.ts';
import { ropeFrequencies } from '../model/rope.ts';

type Rows = number[][];

/** The weights by Hugging Face's names, which may be more exact than a file's. */
type Weights = ReadonlyMap<string, { readonly data: Float32Array | Float64Array }>;

const dot = (a: ArrayLike<number>, b: ArrayLike<number>, offset = 0): number => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? NaN) * (b[offset + i] ?? NaN);
  return sum;
};

const add = (a: readonly number[], b: readonly number[]): number[] =>
  a.map((value, i) => value + (b[i] ?? NaN));

class DecoderReference {
  readonly #config: ModelConfig;
  readonly #weights: Weights;
  readonly #frequencies: readonly number[];

  constructor(config: ModelConfig, weights: Weights) {
    this.#config = config;
    this.#weights = weights;
    this.#frequencies = ropeFrequencies(config);
  }

  logits(ids: readonly number[]): Rows {
    const { hiddenSize, layers, tiedHead, vocabSize } = this.#config;
    const embedding = this.#values('model.embed_tokens.weight');
    let hidden: Rows = ids.map((id) => [...embedding.subarray(id * hiddenSize, (id + 1) * hiddenSize)]);
    for (let layer = 0; layer < layers; layer++) hidden = this.#block(`model.layers.${layer}`, hidden);
    const head = tiedHead ? embedding : this.#values('lm_head.weight');
    return hidden.map((row) => {
      const normed = this.#norm(row, 'model.norm');
      return Array.from({ length: vocabSize }, (_, v) => dot(normed, head, v * hiddenSize));
    });
  }

  #values(name: string): Float32Array | Float64Array {
    const array = this.#weights.get(name);
    if (!array) throw new Error(`The weights lack ${name}.`);
    return array.data;
  }

  #norm(row: readonly number[], name: string): number[] {
    const weight = this.#values(`${name}.weight`);
    const scale = 1 / Math.sqrt(dot(row, row) / row.length + this.#config.rmsEps);
    return row.map((value, i) => value * scale * (weight[i] ?? NaN));
  }

  #linear(row: readonly number[], name: string): number[] {
    const weight = this.#values(`${name}.weight`);
    const bias = this.#weights.get(`${name}.bias`)?.data;
    const outputs = weight.length / row.length;
    return Array.from({ length: outputs }, (_, o) => dot(row, weight, o * row.length) + (bias?.[o] ?? 0));
  }

  #block(prefix: string, hidden: Rows): Rows {
    const normed = hidden.map((row) => this.#norm(row, `${prefix}.input_layernorm`));
    const attended = this.#attention(`${prefix}.self_attn`, normed);
    return hidden.map((row, t) => {
      const middle = add(row, attended[t] ?? []);
      const after = this.#norm(middle, `${prefix}.post_attention_layernorm`);
      const up = this.#linear(after, `${prefix}.mlp.up_proj`);
      const gated =
        this.#config.mlp === 'relu'
          ? up.map((value) => Math.max(value, 0))
          : this.#linear(after, `${prefix}.mlp.gate_proj`).map(
              (value, i) => (value / (1 + Math.exp(-value))) * (up[i] ?? NaN),
            );
      return add(middle, this.#linear(gated, `${prefix}.mlp.down_proj`));
    });
  }

  /** Heads of every position: [position][head][headDim]. */
  #heads(rows: Rows, prefix: string, letter: 'q' | 'k' | 'v'): number[][][] {
    const { headDim, qkNorm } = this.#config;
    return rows.map((row, position) => {
      const all = this.#linear(row, `${prefix}.${letter}_proj`);
      return Array.from({ length: all.length / headDim }, (_, head) => {
        const values = all.slice(head * headDim, (head + 1) * headDim);
        if (letter === 'v') return values;
        return this.#rotate(qkNorm ? this.#norm(values, `${prefix}.${letter}_norm`) : values, position);
      });
    });
  }

  #rotate(values: readonly number[], position: number): number[] {
    const half = values.length / 2;
    return values.map((value, i) => {
      const angle = position * (this.#frequencies[i % half] ?? NaN);
      const partner = i < half ? -(values[i + half] ?? NaN) : (values[i - half] ?? NaN);
      return value * Math.cos(angle) + partner * Math.sin(angle);
    });
  }

  #attention(prefix: string, rows: Rows): Rows {
    const { heads, kvHeads, headDim } = this.#config;
    const queries = this.#heads(rows, prefix, 'q');
    const keys = this.#heads(rows, prefix, 'k');
    const values = this.#heads(rows, prefix, 'v');
    return rows.map((_, t) => {
      const mixed = Array.from({ length: heads }, (__, head) => {
        const shared = Math.floor(head / (heads / kvHeads));
        const query = queries[t]?.[head] ?? [];
        const scores = keys.slice(0, t + 1).map((key) => dot(query, key[shared] ?? []) / Math.sqrt(headDim));
        const top = Math.max(...scores);
        const weights = scores.map((score) => Math.exp(score - top));
        const total = weights.reduce((sum, weight) => sum + weight, 0);
        return Array.from({ length: headDim }, (___, d) =>
          weights.reduce((sum, weight, s) => sum + (weight / total) * (values[s]?.[shared]?.[d] ?? NaN), 0),
        );
      });
      return this.#linear(mixed.flat(), `${prefix}.o_proj`);
    });
  }
}

/** Logits [position][vocabulary] of one sequence. `weights` have Hugging Face's names and layout. */
export function referenceLogits(config: ModelConfig, weights: Weights, ids: readonly number[]): Rows {
  return new DecoderReference(config, weights).logits(ids);
}
