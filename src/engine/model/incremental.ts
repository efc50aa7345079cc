/**
 * The forward pass of decoding on tensor ops. Prompts fill key/value caches, then every row advances by one token a call. A row's numbers
 * do not depend on the other rows. Functions must run inside `tf.tidy`.
 */
import { lifeSign } from '../backend/lifeSign.ts';
import * as tf from '../backend/tf.ts';
import {
  cacheAttention,
  embedding,
  fillCache,
  gemm,
  rmsNorm,
  rotateHeads,
  selfAttention,
  type LayerCache,
} from '../kernels/index.ts';
import { activated, headNumbers } from './block.ts';
import type { LanguageModel } from './languageModel.ts';
import { positionsKept } from './layerAttention.ts';
import { applyLinear, lowRankInput } from './linear.ts';
import { addToResidual } from './residual.ts';

/**
 * Makes zeroed caches of all layers, [slots, capacity, kvHeads·headDim] each, kept until `disposeCaches`. A layer with a window has only
 * the capacity of its window. `halves` stores 16 bit, on wasm alone; a prompt's own pass reads its keys and values before they are rounded.
 */
export function createCaches(
  { config }: LanguageModel,
  slots: number,
  capacity: number,
  halves = false,
): LayerCache[] {
  const width = config.kvHeads * config.headDim;
  return config.attention.map((layer) => {
    const shape: [number, number, number] = [
      slots,
      positionsKept(layer, capacity),
      halves ? width / 2 : width,
    ];
    // `tf.zeros` would make them in JavaScript and copy them to the device.
    const zeros = (): tf.Tensor3D => tf.keep(tf.fill(shape, 0, halves ? 'int32' : 'float32'));
    return { keys: zeros(), values: zeros() };
  });
}

export function disposeCaches(caches: readonly LayerCache[]): void {
  for (const { keys, values } of caches) tf.dispose([keys, values]);
}

/** A vector of whole numbers. */
export const int32 = (values: readonly number[] | Int32Array): tf.Tensor1D =>
  tf.tensor1d(Int32Array.from(values), 'int32');

/** Turns the rotated q | k | v of one layer into its mixed values. */
type Attend = (qkv: tf.Tensor, layer: number) => tf.Tensor;

/** Maps `ids` and `positions`, int32 [N], to the last block's output [N, D]. What a block makes is freed before the next one runs. */
function runBlocks(model: LanguageModel, ids: tf.Tensor, positions: tf.Tensor, attend: Attend): tf.Tensor {
  let x = model.embed(ids);
  for (const layer of model.blocks.keys()) {
    const y = tf.tidy(() => runBlock(model, layer, x, positions, attend));
    x.dispose();
    x = y;
    lifeSign();
  }
  return x;
}

function runBlock(
  model: LanguageModel,
  layer: number,
  x: tf.Tensor,
  positions: tf.Tensor,
  attend: Attend,
): tf.Tensor {
  const { config, blocks } = model;
  const block = blocks[layer];
  if (!block) throw new Error(`The model has no layer ${layer}.`);
  const { rmsEps, normShift } = config;
  const { ofRotation } = headNumbers(config, layer);
  const normed = rmsNorm(x, block.attentionNorm, rmsEps, normShift);
  const projected = applyLinear(normed, block.queriesKeysValues);
  const rotated = rotateHeads(projected, model.rotations.of(layer, positions), block.headNorms, ofRotation);
  const mixed = attend(rotated, layer);
  const { y: h } = addToResidual(mixed, block.output, block.behindAttention, x, config);
  const mlpNormed = rmsNorm(h, block.mlpNorm, rmsEps, normShift);
  const gated = activated(applyLinear(mlpNormed, block.gateUp), config.mlp);
  return addToResidual(gated, block.down, block.behindMlp, h, config).y;
}

/** Logits [N, V] of the last block's output [N, D]. */
export function logitsOf(model: LanguageModel, hidden: tf.Tensor): tf.Tensor2D {
  const { weights, headPair } = model;
  const normed = model.scaledForLogits(model.finalNorm(hidden));
  if (!headPair) return gemm(normed, weights.head, 'nt');
  const added = gemm(lowRankInput(normed, headPair, headPair.scale), headPair.b, 'nn');
  return gemm(normed, weights.head, 'nt', { residual: added });
}

/**
 * Runs `prompts`, right-padded to `length`, and for each i copies the cache of prompt `sources[i]` to slot `slots[i]`.
 * Returns the logits [prompts, V] after each prompt's last token.
 */
export function prefill(
  model: LanguageModel,
  prompts: readonly (readonly number[])[],
  length: number,
  caches: readonly LayerCache[],
  copies: { sources: readonly number[]; slots: readonly number[] },
): tf.Tensor2D {
  const batch = prompts.length;
  const ids = new Int32Array(batch * length);
  prompts.forEach((prompt, row) => ids.set(prompt, row * length));
  const positions = Int32Array.from(ids, (_, i) => i % length);
  const sources = int32(copies.sources);
  const slots = int32(copies.slots);
  const lengths = int32(copies.sources.map((source) => prompts[source]?.length ?? 0));
  const attend: Attend = (qkv, layer) => {
    const cache = caches[layer];
    if (!cache) throw new Error(`There is no cache for layer ${layer}.`);
    const { ofAttention } = headNumbers(model.config, layer);
    fillCache(cache, { qkv, sources, slots, lengths }, { ...ofAttention, length });
    return selfAttention(qkv, { ...ofAttention, batch, length }).mixed;
  };
  const hidden = runBlocks(model, int32(ids), int32(positions), attend);
  const last = prompts.map((prompt, row) => row * length + prompt.length - 1);
  return logitsOf(model, embedding(hidden, int32(last)));
}

/** Advances each row by one token: token `ids[r]` at `positions[r]` of slot `slots[r]` → logits [rows, V]. */
export function advance(
  model: LanguageModel,
  rows: { readonly ids: Int32Array; readonly positions: Int32Array; readonly slots: Int32Array },
  caches: readonly LayerCache[],
): tf.Tensor2D {
  const positions = int32(rows.positions);
  const slots = int32(rows.slots);
  const attend: Attend = (qkv, layer) => {
    const cache = caches[layer];
    if (!cache) throw new Error(`There is no cache for layer ${layer}.`);
    return cacheAttention({ qkv, slots, positions }, cache, headNumbers(model.config, layer).ofAttention);
  };
  return logitsOf(model, runBlocks(model, int32(rows.ids), positions, attend));
}
