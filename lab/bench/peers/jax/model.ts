/** A Llama-shaped model in jax-js, for `jit`. The library frees an array at its use; `.ref` keeps one for another use. */
import { nn, numpy as np } from '@jax-js/jax';
import { type ModelConfig, ropeOfLayers, ropeTables } from '@rl-playground/engine/parts';
import { modelArrays, type HostModel } from '../../participants/model.ts';

/** The parameters by Hugging Face's names; linear weights are [in, out]. */
export type Parameters = Record<string, np.Array>;

export function floats(data: Float32Array, shape: readonly number[]): np.Array {
  return np.array(data.slice(), { shape: [...shape], dtype: np.float32 });
}

/** The numbers of an f32 array, which is consumed. */
export async function numbersOf(array: np.Array): Promise<Float32Array> {
  const data: unknown = await array.data();
  if (data instanceof Float32Array) return data;
  throw new Error('jax-js returned no array of 32-bit floats.');
}

export const parametersOf = (model: HostModel): Parameters =>
  Object.fromEntries(Array.from(modelArrays(model), ([name, data, shape]) => [name, floats(data, shape)]));

/** Cosines and sines of the first `length` positions, each [1, length, 1, headDim], as pairs in two halves. */
export function rotationOf(config: ModelConfig, length: number): { cosines: np.Array; sines: np.Array } {
  const { cosines, sines } = ropeTables(config.headDim, ropeOfLayers(config), length);
  const half = config.headDim / 2;
  const table = (values: Float32Array): np.Array => {
    const doubled = new Float32Array(2 * values.length);
    for (let row = 0; row < length; row++) {
      const part = values.subarray(row * half, (row + 1) * half);
      doubled.set(part, 2 * row * half);
      doubled.set(part, (2 * row + 1) * half);
    }
    return floats(doubled, [1, length, 1, 2 * half]);
  };
  return { cosines: table(cosines), sines: table(sines) };
}

function parameter(parameters: Parameters, name: string): np.Array {
  const array = parameters[name];
  if (!array) throw new Error(`The model has no parameter ${name}.`);
  return array.ref;
}

function norm(x: np.Array, parameters: Parameters, name: string, epsilon: number): np.Array {
  if (!(name in parameters)) return x;
  const square = np.mean(np.square(x.ref), -1, { keepdims: true });
  return x.div(np.sqrt(square.add(epsilon))).mul(parameter(parameters, name));
}

/** The names of LoRA's pair beside a linear map: A [in, r] and B [r, out], of α = r. */
export const pairNames = (name: string): { readonly a: string; readonly b: string } => ({
  a: `${name}.lora_A`,
  b: `${name}.lora_B`,
});

function linear(x: np.Array, parameters: Parameters, name: string): np.Array {
  const { a, b } = pairNames(name);
  let product = np.matmul(a in parameters ? x.ref : x, parameter(parameters, `${name}.weight`));
  if (a in parameters)
    product = product.add(np.matmul(np.matmul(x, parameter(parameters, a)), parameter(parameters, b)));
  return `${name}.bias` in parameters ? product.add(parameter(parameters, `${name}.bias`)) : product;
}

/** `x` [batch, length, heads, headDim]. */
function rotate(x: np.Array, cosines: np.Array, sines: np.Array): np.Array {
  const [left, right] = np.split(x.ref, 2, 3) as [np.Array, np.Array];
  const turned = np.concatenate([right.neg(), left], 3);
  return x.mul(cosines).add(turned.mul(sines));
}

/** The mask [length, length] that is added to the scores of later positions. */
export function causalMask(length: number): np.Array {
  return np.triu(np.full([length, length], -1e9), 1);
}

/**
 * Queries [batch, length, heads, headDim], keys and values [batch, cached, kvHeads, headDim]; returns
 * [batch · length, heads · headDim].
 */
function attention(
  q: np.Array,
  { keys: k, values: v }: KeysAndValues,
  mask: np.Array,
  { heads, kvHeads, headDim }: ModelConfig,
): np.Array {
  const [batch = 0, length = 0] = q.shape;
  const [, cached = 0] = k.shape;
  const shared = heads / kvHeads;
  // A group of query heads meets its one key head by broadcasting.
  const queries = q.reshape([batch, length, kvHeads, shared, headDim]).transpose([0, 2, 3, 1, 4]);
  const keys = k.reshape([batch, cached, kvHeads, 1, headDim]).transpose([0, 2, 3, 4, 1]);
  const values = v.reshape([batch, cached, kvHeads, 1, headDim]).transpose([0, 2, 3, 1, 4]);
  const scores = np.matmul(queries, keys).mul(1 / Math.sqrt(headDim));
  const mixed = np.matmul(nn.softmax(scores.add(mask)), values);
  return mixed.transpose([0, 3, 1, 2, 4]).reshape([batch * length, heads * headDim]);
}

/** The keys and values of one layer, [batch, length, kvHeads, headDim] each. */
export type KeysAndValues = { readonly keys: np.Array; readonly values: np.Array };

/** The keys and values that attention of a layer reads, given those of the computed positions. A cache is implemented by it. */
export type Remember = (layer: number, fresh: KeysAndValues) => KeysAndValues;

export interface Positions {
  /** The cosines [1, length, 1, headDim]. */
  readonly cosines: np.Array;
  readonly sines: np.Array;
  /** The mask [length, cached], which is added to the scores. */
  readonly mask: np.Array;
}

/** The blocks and the final norm over x [batch · length, D]. Keeps `parameters`, consumes the rest. */
export function hiddenOf(
  parameters: Parameters,
  config: ModelConfig,
  embedded: np.Array,
  { cosines, sines, mask }: Positions,
  batch: number,
  remember: Remember = (_, fresh) => fresh,
): np.Array {
  const { heads, kvHeads, headDim, layers, rmsEps } = config;
  let x = embedded;
  for (let layer = 0; layer < layers; layer++) {
    const prefix = `model.layers.${layer}`;
    const block = `${prefix}.self_attn`;
    const normed = norm(x.ref, parameters, `${prefix}.input_layernorm.weight`, rmsEps);
    const headsOf = (input: np.Array, projection: string, count: number): np.Array =>
      linear(input, parameters, `${block}.${projection}`).reshape([batch, -1, count, headDim]);
    const q = norm(headsOf(normed.ref, 'q_proj', heads), parameters, `${block}.q_norm.weight`, rmsEps);
    const k = norm(headsOf(normed.ref, 'k_proj', kvHeads), parameters, `${block}.k_norm.weight`, rmsEps);
    const v = headsOf(normed, 'v_proj', kvHeads);
    const known = remember(layer, { keys: rotate(k, cosines.ref, sines.ref), values: v });
    const mixed = attention(rotate(q, cosines.ref, sines.ref), known, mask.ref, config);
    x = x.add(linear(mixed, parameters, `${block}.o_proj`));
    const gated = norm(x.ref, parameters, `${prefix}.post_attention_layernorm.weight`, rmsEps);
    const gate = nn.silu(linear(gated.ref, parameters, `${prefix}.mlp.gate_proj`));
    const up = linear(gated, parameters, `${prefix}.mlp.up_proj`);
    x = x.add(linear(gate.mul(up), parameters, `${prefix}.mlp.down_proj`));
  }
  cosines.dispose();
  sines.dispose();
  mask.dispose();
  return norm(x, parameters, 'model.norm.weight', rmsEps);
}

const EMBEDDING = 'model.embed_tokens.weight';

/** Rows of the embedding by one-hot tokens [rows, V], which has a gradient. */
export const embeddedOneHots = (parameters: Parameters, oneHots: np.Array): np.Array =>
  np.matmul(oneHots, parameter(parameters, EMBEDDING));

/** Rows of an embedding that is not trained, by token ids [rows]. */
export const embedded = (parameters: Parameters, ids: np.Array): np.Array =>
  np.take(parameter(parameters, EMBEDDING), ids, 0);

/** Logits [rows, V] of hidden states [rows, D], which are consumed. */
export const logitsOf = (parameters: Parameters, { tiedHead }: ModelConfig, hidden: np.Array): np.Array =>
  np.matmul(hidden, parameter(parameters, tiedHead ? EMBEDDING : 'lm_head.weight').transpose());
