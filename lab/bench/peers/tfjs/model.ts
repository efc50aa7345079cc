/** A Llama-shaped model of plain tfjs ops, batched throughout, with an optional cache of keys and values. */
import * as tf from '@tensorflow/tfjs';
import { type ModelConfig, ropeTables } from '@rl-playground/engine/parts';
import { modelArrays, type HostModel } from '../../participants/model.ts';

/** Largest vocabulary whose embedding is looked up by a one-hot product, which has a fast gradient on both backends. */
const ONE_HOT_VOCABULARY = 512;
/** The number added to the scores of later positions. */
const MASKED = -1e9;

export type LayerKeysValues = {
  /** The keys [batch, kvHeads, positions, headDim]. */
  readonly k: tf.Tensor4D;
  readonly v: tf.Tensor4D;
};

/** One-hot rows [count, size] in f32. If it is asked for that type itself, `tf.oneHot` writes integer bits on wasm (tfjs 4.22.0). */
export function oneHotFloats(ids: tf.Tensor, size: number): tf.Tensor {
  return tf.cast(tf.oneHot(ids, size), 'float32');
}

/** Keys or values [batch, kvHeads, positions, headDim], each head once for every query head that uses it. */
export function repeatHeads(x: tf.Tensor4D, heads: number): tf.Tensor4D {
  const [batch, kvHeads, positions, headDim] = x.shape;
  if (heads === kvHeads) return x;
  // The rank is 4, because the gradient of `tf.tile` supports no more.
  const flat = tf.reshape(x, [batch, kvHeads, 1, positions * headDim]);
  return tf.reshape(tf.tile(flat, [1, 1, heads / kvHeads, 1]), [batch, heads, positions, headDim]);
}

export class TfjsModel {
  readonly config: ModelConfig;
  /** The parameters by Hugging Face's names; linear weights are [in, out]. */
  readonly parameters: ReadonlyMap<string, tf.Variable>;

  constructor(model: HostModel) {
    this.config = model.config;
    const parameters = new Map<string, tf.Variable>();
    for (const [name, data, shape] of modelArrays(model)) {
      const initial = tf.tensor(data.slice(), [...shape], 'float32');
      parameters.set(name, tf.variable(initial));
      initial.dispose();
    }
    this.parameters = parameters;
  }

  dispose(): void {
    for (const variable of this.parameters.values()) variable.dispose();
  }

  /** Cosines and sines of `count` positions from `first` on, each [1, 1, count, headDim], as pairs in two halves. */
  rotation(first: number, count: number): { cosines: tf.Tensor; sines: tf.Tensor } {
    const { cosines, sines } = ropeTables(this.config, first + count);
    const half = this.config.headDim / 2;
    const table = (values: Float32Array): tf.Tensor =>
      tf.tidy(() => {
        const rows = tf.tensor2d(values.slice(first * half), [count, half]);
        return tf.reshape(tf.concat([rows, rows], 1), [1, 1, count, 2 * half]);
      });
    return { cosines: table(cosines), sines: table(sines) };
  }

  /** 0 where a position may look, a large negative number where not: [1, 1, length, length]. */
  causalMask(length: number): tf.Tensor {
    return tf.tidy(() => {
      const later = tf.sub(1, tf.linalg.bandPart(tf.ones([length, length]), -1, 0));
      return tf.reshape(tf.mul(later, MASKED), [1, 1, length, length]);
    });
  }

  /**
   * Hidden states [batch · count, D] for `ids` [batch · count], which follow the positions in `past`, and every layer's keys
   * and values up to them. `mask` is added to the scores; null if every position may be looked at.
   */
  forward(
    ids: tf.Tensor1D,
    batch: number,
    rotation: { cosines: tf.Tensor; sines: tf.Tensor },
    mask: tf.Tensor | null,
    past: readonly LayerKeysValues[] | null,
  ): { hidden: tf.Tensor2D; cache: LayerKeysValues[] } {
    const { layers } = this.config;
    let x = this.#embed(ids);
    const cache: LayerKeysValues[] = [];
    for (let layer = 0; layer < layers; layer++) {
      const prefix = `model.layers.${layer}`;
      const normed = this.#norm(x, `${prefix}.input_layernorm.weight`);
      const { mixed, keysValues } = this.#attention(
        normed,
        `${prefix}.self_attn`,
        batch,
        rotation,
        mask,
        past?.[layer] ?? null,
      );
      cache.push(keysValues);
      x = tf.add(x, mixed);
      const gated = this.#norm(x, `${prefix}.post_attention_layernorm.weight`);
      const gate = this.#linear(gated, `${prefix}.mlp.gate_proj`);
      const up = this.#linear(gated, `${prefix}.mlp.up_proj`);
      const product = tf.mul(tf.mul(gate, tf.sigmoid(gate)), up);
      x = tf.add(x, this.#linear(product, `${prefix}.mlp.down_proj`));
    }
    return { hidden: x as tf.Tensor2D, cache };
  }

  /** Logits [rows, V] of hidden states [rows, D]. */
  logits(hidden: tf.Tensor): tf.Tensor2D {
    const head = this.#get(this.config.tiedHead ? 'model.embed_tokens.weight' : 'lm_head.weight');
    return tf.matMul(this.#norm(hidden, 'model.norm.weight'), head, false, true) as tf.Tensor2D;
  }

  #get(name: string): tf.Variable {
    const variable = this.parameters.get(name);
    if (!variable) throw new Error(`The model has no parameter ${name}.`);
    return variable;
  }

  #embed(ids: tf.Tensor1D): tf.Tensor {
    const { vocabSize } = this.config;
    const table = this.#get('model.embed_tokens.weight');
    if (vocabSize > ONE_HOT_VOCABULARY) return tf.gather(table, ids);
    return tf.matMul(oneHotFloats(ids, vocabSize), table);
  }

  #linear(x: tf.Tensor, name: string): tf.Tensor {
    const product = tf.matMul(x, this.#get(`${name}.weight`));
    const bias = this.parameters.get(`${name}.bias`);
    return bias ? tf.add(product, bias) : product;
  }

  /** RMSNorm over the last axis; the identity where the model has no such parameter. */
  #norm(x: tf.Tensor, name: string): tf.Tensor {
    const gamma = this.parameters.get(name);
    if (!gamma) return x;
    const scale = tf.rsqrt(tf.add(tf.mean(tf.square(x), -1, true), this.config.rmsEps));
    return tf.mul(tf.mul(x, scale), gamma);
  }

  /** [batch · count, heads · headDim] to [batch, heads, count, headDim]. */
  #split(x: tf.Tensor, batch: number, heads: number): tf.Tensor4D {
    return tf.transpose(tf.reshape(x, [batch, -1, heads, this.config.headDim]), [0, 2, 1, 3]);
  }

  #rotate(x: tf.Tensor4D, { cosines, sines }: { cosines: tf.Tensor; sines: tf.Tensor }): tf.Tensor4D {
    const [left, right] = tf.split(x, 2, 3) as [tf.Tensor, tf.Tensor];
    const turned = tf.concat([tf.neg(right), left], 3);
    return tf.add(tf.mul(x, cosines), tf.mul(turned, sines));
  }

  #attention(
    x: tf.Tensor,
    name: string,
    batch: number,
    rotation: { cosines: tf.Tensor; sines: tf.Tensor },
    mask: tf.Tensor | null,
    past: LayerKeysValues | null,
  ): { mixed: tf.Tensor; keysValues: LayerKeysValues } {
    const { heads, kvHeads, headDim } = this.config;
    const headsOf = (projection: string, norm: string, count: number): tf.Tensor4D => {
      const split = this.#split(this.#linear(x, `${name}.${projection}`), batch, count);
      return this.#norm(split, `${name}.${norm}.weight`) as tf.Tensor4D;
    };
    const q = this.#rotate(headsOf('q_proj', 'q_norm', heads), rotation);
    const newK = this.#rotate(headsOf('k_proj', 'k_norm', kvHeads), rotation);
    const newV = this.#split(this.#linear(x, `${name}.v_proj`), batch, kvHeads);
    const k = past ? tf.concat([past.k, newK], 2) : newK;
    const v = past ? tf.concat([past.v, newV], 2) : newV;
    const scores = tf.mul(tf.matMul(q, repeatHeads(k, heads), false, true), 1 / Math.sqrt(headDim));
    const shares = tf.softmax(mask ? tf.add(scores, mask) : scores);
    const merged = tf.transpose(tf.matMul(shares, repeatHeads(v, heads)), [0, 2, 1, 3]);
    const mixed = this.#linear(tf.reshape(merged, [-1, heads * headDim]), `${name}.o_proj`);
    return { mixed, keysValues: { k, v } };
  }
}
