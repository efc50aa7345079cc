/**
 * A decoder written out in float64 from the papers: RMSNorm (Zhang & Sennrich 2019), RoPE (Su et al. 2021), grouped-query attention
 * (Ainslie et al. 2023), SwiGLU and GeGLU (Shazeer 2020), and what Gemma 3, SmolLM3 and Granite have besides. It takes one sequence at a time, without cache or libraries, and judges the fast ones.
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
  /** The frequencies of each layer. */
  readonly #frequencies: readonly (readonly number[])[];

  constructor(config: ModelConfig, weights: Weights) {
    this.#config = config;
    this.#weights = weights;
    this.#frequencies = config.attention.map(({ rope }) => ropeFrequencies(config.headDim, rope));
  }

  logits(ids: readonly number[]): Rows {
    const { hiddenSize, layers, tiedHead, vocabSize, embeddingScale, logitScale } = this.#config;
    const embedding = this.#values('model.embed_tokens.weight');
    let hidden: Rows = ids.map((id) =>
      Array.from(
        embedding.subarray(id * hiddenSize, (id + 1) * hiddenSize),
        (value) => value * embeddingScale,
      ),
    );
    for (let layer = 0; layer < layers; layer++) hidden = this.#block(layer, hidden);
    const head = tiedHead ? embedding : this.#values('lm_head.weight');
    return hidden.map((row) => {
      const normed = this.#norm(row, 'model.norm');
      return Array.from({ length: vocabSize }, (_, v) => logitScale * dot(normed, head, v * hiddenSize));
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
    return row.map((value, i) => value * scale * ((weight[i] ?? NaN) + this.#config.normShift));
  }

  #linear(row: readonly number[], name: string): number[] {
    const weight = this.#values(`${name}.weight`);
    const bias = this.#weights.get(`${name}.bias`)?.data;
    const outputs = weight.length / row.length;
    return Array.from({ length: outputs }, (_, o) => dot(row, weight, o * row.length) + (bias?.[o] ?? 0));
  }

  /** act(gate) ⊙ up, or ReLU of up alone. */
  #mlp(prefix: string, row: readonly number[]): number[] {
    const { mlp } = this.#config;
    const up = this.#linear(row, `${prefix}.up_proj`);
    if (mlp === 'relu') return up.map((value) => Math.max(value, 0));
    return this.#linear(row, `${prefix}.gate_proj`).map((z, i) => {
      const gelu = 0.5 * z * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (z + 0.044715 * z ** 3)));
      return (mlp === 'geglu' ? gelu : z / (1 + Math.exp(-z))) * (up[i] ?? NaN);
    });
  }

  #block(layer: number, hidden: Rows): Rows {
    const prefix = `model.layers.${layer}`;
    const { normsBehind, residualScale } = this.#config;
    const behind = (row: readonly number[], name: string): number[] =>
      (normsBehind ? this.#norm(row, `${prefix}.${name}`) : [...row]).map((value) => residualScale * value);
    const beforeMlp = normsBehind ? 'pre_feedforward_layernorm' : 'post_attention_layernorm';
    const normed = hidden.map((row) => this.#norm(row, `${prefix}.input_layernorm`));
    const attended = this.#attention(layer, normed);
    return hidden.map((row, t) => {
      const middle = add(row, behind(attended[t] ?? [], 'post_attention_layernorm'));
      const after = this.#norm(middle, `${prefix}.${beforeMlp}`);
      const gated = this.#mlp(`${prefix}.mlp`, after);
      const down = this.#linear(gated, `${prefix}.mlp.down_proj`);
      return add(middle, behind(down, 'post_feedforward_layernorm'));
    });
  }

  /** Heads of every position: [position][head][headDim]. */
  #heads(rows: Rows, layer: number, letter: 'q' | 'k' | 'v'): number[][][] {
    const prefix = `model.layers.${layer}.self_attn`;
    const { headDim, qkNorm } = this.#config;
    return rows.map((row, position) => {
      const all = this.#linear(row, `${prefix}.${letter}_proj`);
      return Array.from({ length: all.length / headDim }, (_, head) => {
        const values = all.slice(head * headDim, (head + 1) * headDim);
        if (letter === 'v') return values;
        const normed = qkNorm ? this.#norm(values, `${prefix}.${letter}_norm`) : values;
        return this.#rotate(normed, layer, position);
      });
    });
  }

  #rotate(values: readonly number[], layer: number, position: number): number[] {
    const half = values.length / 2;
    return values.map((value, i) => {
      const angle = position * (this.#frequencies[layer]?.[i % half] ?? NaN);
      const partner = i < half ? -(values[i + half] ?? NaN) : (values[i - half] ?? NaN);
      return value * Math.cos(angle) + partner * Math.sin(angle);
    });
  }

  #attention(layer: number, rows: Rows): Rows {
    const { heads, kvHeads, headDim, attention, attentionScale } = this.#config;
    const window = attention[layer]?.window ?? rows.length;
    const queries = this.#heads(rows, layer, 'q');
    const keys = this.#heads(rows, layer, 'k');
    const values = this.#heads(rows, layer, 'v');
    return rows.map((_, t) => {
      const mixed = Array.from({ length: heads }, (__, head) => {
        const shared = Math.floor(head / (heads / kvHeads));
        const query = queries[t]?.[head] ?? [];
        const first = Math.max(0, t + 1 - window);
        const scores = keys.slice(first, t + 1).map((key) => dot(query, key[shared] ?? []) * attentionScale);
        const top = Math.max(...scores);
        const weights = scores.map((score) => Math.exp(score - top));
        const total = weights.reduce((sum, weight) => sum + weight, 0);
        return Array.from({ length: headDim }, (___, d) =>
          weights.reduce(
            (sum, weight, s) => sum + (weight / total) * (values[first + s]?.[shared]?.[d] ?? NaN),
            0,
          ),
        );
      });
      return this.#linear(mixed.flat(), `model.layers.${layer}.self_attn.o_proj`);
    });
  }
}

/** Logits [position][vocabulary] of one sequence. `weights` have Hugging Face's names and layout. */
export function referenceLogits(config: ModelConfig, weights: Weights, ids: readonly number[]): Rows {
  return new DecoderReference(config, weights).logits(ids);
}
