/**
 * One transformer block of the Llama family, as plain differentiable functions of its input and parameters:
 * h = x + o(attention(norm(x))),  y = h + down(silu(gate(norm(h))) ⊙ up(norm(h))).
 * Activations are [N, D] with N = batch · length.
 */
import * as tf from '../backend/tf.ts';
import { gemm, rmsNorm, rope, swiglu } from '../kernels/index.ts';
import type { ModelConfig } from './config.ts';
import { layerParameterSpecs } from './oldParameters.ts';

export interface RopeTensors {
  readonly cosines: tf.Tensor;
  readonly sines: tf.Tensor;
}

/** Looks up a parameter of one block by its name without the `model.layers.N.` prefix; null where it has none. */
export type BlockParameters = (name: string) => tf.Tensor | null;

export function blockParameterNames(config: ModelConfig, layer: number): string[] {
  return layerParameterSpecs(config, layer).map((spec) => spec.name);
}

const withoutPrefix = (name: string): string => name.replace(/^model\.layers\.\d+\./, '');

export function blockParameters(names: readonly string[], tensors: readonly tf.Tensor[]): BlockParameters {
  const byName = new Map(names.map((name, i) => [withoutPrefix(name), tensors[i]]));
  return (name) => byName.get(name) ?? null;
}

function required(parameters: BlockParameters, name: string): tf.Tensor {
  const tensor = parameters(name);
  if (!tensor) throw new Error(`The block lacks its parameter ${name}.`);
  return tensor;
}

function linear(x: tf.Tensor, parameters: BlockParameters, name: string): tf.Tensor {
  const product = gemm(x, required(parameters, `${name}.weight`), 'nn');
  const bias = parameters(`${name}.bias`);
  return bias ? tf.add(product, bias) : product;
}

/** Normalises each head of `x` [N, heads · headDim] on its own (Qwen3); the identity where the model has no such norm. */
function headNorm(x: tf.Tensor, parameters: BlockParameters, name: string, config: ModelConfig): tf.Tensor {
  const gamma = parameters(name);
  if (!gamma) return x;
  const perHead = tf.reshape(x, [-1, config.headDim]);
  return tf.reshape(rmsNorm(perHead, gamma, config.rmsEps), x.shape);
}

/** Rotated queries, rotated keys and values of every position. `positions` int32 [N]. */
export function queriesKeysValues(
  x: tf.Tensor,
  positions: tf.Tensor,
  parameters: BlockParameters,
  config: ModelConfig,
  tables: RopeTensors,
): { q: tf.Tensor; k: tf.Tensor; v: tf.Tensor } {
  const normed = rmsNorm(x, required(parameters, 'input_layernorm.weight'), config.rmsEps);
  const q = headNorm(
    linear(normed, parameters, 'self_attn.q_proj'),
    parameters,
    'self_attn.q_norm.weight',
    config,
  );
  const k = headNorm(
    linear(normed, parameters, 'self_attn.k_proj'),
    parameters,
    'self_attn.k_norm.weight',
    config,
  );
  const v = linear(normed, parameters, 'self_attn.v_proj');
  return { q: rope(q, positions, tables), k: rope(k, positions, tables), v };
}

/** The rest of the block once attention has mixed the positions. */
export function afterAttention(
  x: tf.Tensor,
  mixed: tf.Tensor,
  parameters: BlockParameters,
  config: ModelConfig,
): tf.Tensor {
  const h = tf.add(x, linear(mixed, parameters, 'self_attn.o_proj'));
  const normed = rmsNorm(h, required(parameters, 'post_attention_layernorm.weight'), config.rmsEps);
  const gated = swiglu(
    linear(normed, parameters, 'mlp.gate_proj'),
    linear(normed, parameters, 'mlp.up_proj'),
  );
  return tf.add(h, linear(gated, parameters, 'mlp.down_proj'));
}
