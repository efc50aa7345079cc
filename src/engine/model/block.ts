/**
 * One transformer block of the Llama family, forward and backward, without a tape:
 * h = x + o(attention(norm(x))),  y = h + down(act(gate(norm(h))) ⊙ up(norm(h))), or without a gate y = h + down(relu(up(norm(h)))).
 * act is silu or gelu. Gemma 3 adds norm(o(…)) and norm(down(…)), Granite a fixed share of each.
 * Activations are [N, D] with N = batch · length, or fewer where prompts are shared, and after the last block's attention [M, D] of the selected rows. Each line of the
 * backward pass undoes the line of the forward pass that has its number. `breathe` is awaited between the lines, so no `tf.tidy` may be
 * open around them.
 */
import type { Breathe } from '../backend/eventLoop.ts';
import * as tf from '../backend/tf.ts';
import {
  gatedUnit,
  gatedUnitGradient,
  rmsNorm,
  rmsNormGradient,
  rotateHeads,
  rotateHeadsGradient,
  type Attended,
  type HeadNorms,
  type Rotation,
} from '../kernels/index.ts';
import type { FrozenMatrix } from '../kernels/frozenMatrix/frozenMatrix.ts';
import type { Slice } from '../kernels/shared/slice.ts';
import { AdapterPool, type Adapter, type TrainedGradients } from './adapter.ts';
import type { ModelConfig } from './config.ts';
import { blockNorms, mlpInput, mlpInputs } from './parameters.ts';
import { applyLinear, linearGradient, type Linear, type LinearGradients } from './linear.ts';
import { addedGradient, addToResidual } from './residual.ts';
import { pickedRows, spreadRows, type RowSelection } from './rowSelection.ts';
import { attend, attendGradient, type SharedRows } from './sharedPrompts.ts';

export interface BlockSlices<Matrix extends Slice | FrozenMatrix = Slice | FrozenMatrix> {
  readonly attentionNorm: Slice;
  readonly queriesKeysValues: Linear<Matrix>;
  readonly headNorms: HeadNorms<Slice> | null;
  readonly output: Linear<Matrix>;
  /** The norms of what attention and MLP add; null if there are none. */
  readonly behindAttention: Slice | null;
  readonly mlpNorm: Slice;
  /** The maps gate | up, or up alone in an MLP without a gate. */
  readonly gateUp: Linear<Matrix>;
  readonly down: Linear<Matrix>;
  readonly behindMlp: Slice | null;
}

/** The linear maps of a block. */
export type BlockMap = 'queriesKeysValues' | 'output' | 'gateUp' | 'down';

/** Our names of them within a layer. */
export const mapNames = (config: ModelConfig): Readonly<Record<BlockMap, string>> => ({
  queriesKeysValues: 'self_attn.qkv_proj',
  output: 'self_attn.o_proj',
  gateUp: mlpInput(config),
  down: 'mlp.down_proj',
});

/** Weights or gradients by our names: a pool, or a base of frozen matrices. */
interface Parameters<Matrix extends Slice | FrozenMatrix> {
  readonly config: ModelConfig;
  has(name: string): boolean;
  /** A vector. */
  get(name: string): Slice;
  matrix(name: string): Matrix;
}

/** The sums to which the gradients of one block's parameters are added; null for frozen ones. */
export interface BlockGradients {
  readonly attentionNorm: Slice | null;
  readonly queriesKeysValues: LinearGradients;
  readonly headNorms: HeadNorms<Slice> | null;
  readonly output: LinearGradients;
  readonly behindAttention: Slice | null;
  readonly mlpNorm: Slice | null;
  readonly gateUp: LinearGradients;
  readonly down: LinearGradients;
  readonly behindMlp: Slice | null;
}

export function blockSlices<Matrix extends Slice | FrozenMatrix>(
  pool: Parameters<Matrix>,
  layer: number,
  adapter: Adapter | null = null,
): BlockSlices<Matrix> {
  const at = (name: string): Slice => pool.get(`model.layers.${layer}.${name}`);
  const maybe = (name: string | null): Slice | null => (name === null ? null : at(name));
  const norms = blockNorms(pool.config);
  const names = mapNames(pool.config);
  const linear = (name: string): Linear<Matrix> => {
    const pairs = adapter?.pairsOf(`model.layers.${layer}.${name}.weight`) ?? [];
    return {
      weight: pool.matrix(`model.layers.${layer}.${name}.weight`),
      bias: pool.has(`model.layers.${layer}.${name}.bias`) ? at(`${name}.bias`) : null,
      lowRank: adapter && pairs.length > 0 ? { pairs, scale: adapter.scale } : null,
    };
  };
  return {
    attentionNorm: at(norms.attention),
    queriesKeysValues: linear(names.queriesKeysValues),
    headNorms: pool.config.qkNorm
      ? { query: at('self_attn.q_norm.weight'), key: at('self_attn.k_norm.weight') }
      : null,
    output: linear(names.output),
    behindAttention: maybe(norms.behindAttention),
    mlpNorm: at(norms.mlp),
    gateUp: linear(names.gateUp),
    down: linear(names.down),
    behindMlp: maybe(norms.behindMlp),
  };
}

/** The sums of a block, for all parameters or for an adapter's alone. */
export function blockGradients(gradients: TrainedGradients, layer: number): BlockGradients {
  if (!(gradients instanceof AdapterPool)) return blockSlices(gradients, layer);
  const names = mapNames(gradients.config);
  const linear = (name: string): LinearGradients => ({
    pairs: gradients.pairsOf(`model.layers.${layer}.${name}.weight`),
  });
  return {
    attentionNorm: null,
    queriesKeysValues: linear(names.queriesKeysValues),
    headNorms: null,
    output: linear(names.output),
    behindAttention: null,
    mlpNorm: null,
    gateUp: linear(names.gateUp),
    down: linear(names.down),
    behindMlp: null,
  };
}

export interface BlockInput {
  readonly config: ModelConfig;
  readonly layer: number;
  readonly batch: number;
  readonly length: number;
  /** The list of rows that stands for the batch; null if nothing is shared. */
  readonly shared: SharedRows | null;
  readonly rotation: Rotation;
}

/** The numbers of a layer's attention and of its norms over heads, as ops take them. */
export function headNumbers(config: ModelConfig, layer: number) {
  const { heads, kvHeads, headDim, rmsEps, normShift, attentionScale, attention } = config;
  const window = attention[layer]?.window ?? null;
  return {
    ofRotation: { heads, kvHeads, headDim, epsilon: rmsEps, shift: normShift },
    ofAttention: { heads, kvHeads, headDim, scale: attentionScale, window },
  };
}

/**
 * The results of a block's forward pass that its backward pass needs, besides the block's input. The inputs of its maps and
 * the rotated q | k | v, which take a hundredth of a product's time, are made of these again.
 */
export interface BlockActivations {
  /** q | k | v before the rotation. */
  readonly projected: tf.Tensor;
  readonly attended: Attended;
  /** The outputs of o and down before the norms behind them; null if there are no such norms. */
  readonly fromAttention: tf.Tensor | null;
  readonly afterAttention: tf.Tensor;
  readonly gateUp: tf.Tensor;
  readonly fromMlp: tf.Tensor | null;
}

/** Floats that `BlockActivations` holds for each token. */
export function activationFloats(config: ModelConfig): number {
  const { hiddenSize, heads, kvHeads, headDim } = config;
  const ofResidual = (config.normsBehind ? 3 : 1) * hiddenSize;
  return ofResidual + (heads + 2 * kvHeads) * headDim + heads * (headDim + 1) + mlpInputs(config);
}

const GATES = { swiglu: 'silu', geglu: 'gelu' } as const;

/** The activation between the two maps of the MLP: [N, 2F] of gate | up, or [N, F] of up alone → [N, F]. */
export function activated(gateUp: tf.Tensor, mlp: ModelConfig['mlp']): tf.Tensor {
  return mlp === 'relu' ? tf.relu(gateUp) : gatedUnit(gateUp, GATES[mlp]);
}

/** d gateUp. The slope of ReLU at 0 is 0. */
export function activatedGradient(gateUp: tf.Tensor, dy: tf.Tensor, mlp: ModelConfig['mlp']): tf.Tensor {
  return mlp === 'relu'
    ? tf.tidy(() => tf.mul(dy, tf.step(gateUp)))
    : gatedUnitGradient(gateUp, dy, GATES[mlp]);
}

export function disposeActivations({ attended, ...others }: BlockActivations): void {
  const held = Object.values(others).filter((tensor) => tensor !== null);
  tf.dispose([attended.mixed, attended.logSumExp, ...held]);
}

/** Receives the input of a linear map before it is applied. */
type OnInput = (map: BlockMap, input: tf.Tensor) => Promise<void>;

/**
 * Returns y [N, D] of `x` [N, D], or [M, D] of a selection, and what backward needs. The caller owns both results, and keeps `x`.
 * `onInput` is awaited with the input of each linear map before it is applied.
 */
export async function blockForward(
  x: tf.Tensor,
  parameters: BlockSlices,
  input: BlockInput,
  selection: RowSelection | null,
  breathe: Breathe,
  onInput?: OnInput,
): Promise<{ y: tf.Tensor; activations: BlockActivations }> {
  const held = await upToMlp(x, parameters, input, selection, breathe, onInput);
  const { y, added: fromMlp = null } = await afterMlp(held, parameters, input, breathe, onInput);
  return { y, activations: { ...held, fromMlp } };
}

/** Runs a block again for its backward pass. Its y is made only for a norm behind it. */
export async function blockAgain(
  x: tf.Tensor,
  parameters: BlockSlices,
  input: BlockInput,
  selection: RowSelection | null,
  breathe: Breathe,
): Promise<BlockActivations> {
  const held = await upToMlp(x, parameters, input, selection, breathe);
  if (parameters.behindMlp === null) return { ...held, fromMlp: null };
  const { y, added: fromMlp = null } = await afterMlp(held, parameters, input, breathe);
  y.dispose();
  return { ...held, fromMlp };
}

type HeldUpToMlp = Omit<BlockActivations, 'fromMlp'>;

async function upToMlp(
  x: tf.Tensor,
  parameters: BlockSlices,
  { config, layer, batch, length, shared, rotation }: BlockInput,
  selection: RowSelection | null,
  breathe: Breathe,
  onInput?: OnInput,
): Promise<HeldUpToMlp> {
  const { rmsEps, normShift } = config;
  const { ofRotation, ofAttention } = headNumbers(config, layer);
  const attentionNormed = rmsNorm(x, parameters.attentionNorm, rmsEps, normShift); // 1
  await breathe();
  await onInput?.('queriesKeysValues', attentionNormed);
  const projected = applyLinear(attentionNormed, parameters.queriesKeysValues); // 2
  attentionNormed.dispose();
  await breathe();
  const rotated = rotateHeads(projected, rotation, parameters.headNorms, ofRotation); // 3
  await breathe();
  const attended = attend(rotated, { ...ofAttention, batch, length }, shared); // 4
  rotated.dispose();
  await breathe();
  await onInput?.('output', attended.mixed);
  const { y: afterAttention, added: fromAttention = null } = tf.tidy(() => {
    const mixed = pickedRows(attended.mixed, selection);
    const { output, behindAttention } = parameters;
    return addToResidual(mixed, output, behindAttention, pickedRows(x, selection), config);
  }); // 5
  await breathe();
  const mlpNormed = rmsNorm(afterAttention, parameters.mlpNorm, rmsEps, normShift); // 6
  await breathe();
  await onInput?.('gateUp', mlpNormed);
  const gateUp = applyLinear(mlpNormed, parameters.gateUp); // 7
  mlpNormed.dispose();
  await breathe();
  return { projected, attended, fromAttention, afterAttention, gateUp };
}

/** The block's result, and the output of down if a norm behind it needs it. */
async function afterMlp(
  { gateUp, afterAttention }: HeldUpToMlp,
  { down, behindMlp }: BlockSlices,
  { config }: BlockInput,
  breathe: Breathe,
  onInput?: OnInput,
): Promise<{ y: tf.Tensor; added?: tf.Tensor }> {
  const gated = activated(gateUp, config.mlp); // 8
  await breathe();
  await onInput?.('down', gated);
  const result = addToResidual(gated, down, behindMlp, afterAttention, config); // 9
  gated.dispose();
  return result;
}

/**
 * Returns dx [N, D] from dy [N, D], or [M, D] of a selection, and adds to the gradients of the block's trained parameters. It frees
 * nothing of the caller's.
 */
export async function blockBackward(
  { x, dy }: { x: tf.Tensor; dy: tf.Tensor },
  saved: BlockActivations,
  parameters: BlockSlices,
  gradients: BlockGradients,
  { config, layer, batch, length, shared, rotation }: BlockInput,
  selection: RowSelection | null,
  breathe: Breathe,
): Promise<tf.Tensor> {
  const { rmsEps, normShift } = config;
  const { ofRotation, ofAttention } = headNumbers(config, layer);
  const { attended, afterAttention } = saved;
  const norms = parameters.headNorms && { ...parameters.headNorms, gradients: gradients.headNorms };
  const dFromMlp = addedGradient(saved.fromMlp, dy, parameters.behindMlp, gradients.behindMlp, config);
  const gated = activated(saved.gateUp, config.mlp);
  const dGated = linearGradient(gated, dFromMlp, parameters.down, gradients.down); // 9
  tf.dispose([gated, dFromMlp]);
  await breathe();
  const dGateUp = activatedGradient(saved.gateUp, dGated, config.mlp); // 8
  dGated.dispose();
  await breathe();
  const mlpNormed = rmsNorm(afterAttention, parameters.mlpNorm, rmsEps, normShift);
  const dMlpNormed = linearGradient(mlpNormed, dGateUp, parameters.gateUp, gradients.gateUp); // 7
  tf.dispose([mlpNormed, dGateUp]);
  await breathe();
  const dAfterAttention = rmsNormGradient(
    { x: afterAttention, gamma: parameters.mlpNorm, dy: dMlpNormed, residual: dy },
    rmsEps,
    gradients.mlpNorm,
    normShift,
  ); // 6
  dMlpNormed.dispose();
  await breathe();
  const { dMixed, dPassed } = tf.tidy(() => {
    const mixed = pickedRows(attended.mixed, selection);
    const { behindAttention } = parameters;
    const dAdded = addedGradient(
      saved.fromAttention,
      dAfterAttention,
      behindAttention,
      gradients.behindAttention,
      config,
    );
    const dPicked = linearGradient(mixed, dAdded, parameters.output, gradients.output);
    return { dMixed: spreadRows(dPicked, selection), dPassed: spreadRows(dAfterAttention, selection) };
  }); // 5
  await breathe();
  const rotated = rotateHeads(saved.projected, rotation, parameters.headNorms, ofRotation);
  const dRotated = attendGradient(
    { qkv: rotated, ...attended, dy: dMixed },
    { ...ofAttention, batch, length },
    shared,
  ); // 4
  tf.dispose([rotated, dMixed]);
  await breathe();
  const dProjected = rotateHeadsGradient({ qkv: saved.projected, dy: dRotated }, rotation, norms, ofRotation); // 3
  dRotated.dispose();
  await breathe();
  const attentionNormed = rmsNorm(x, parameters.attentionNorm, rmsEps, normShift);
  const dAttentionNormed = linearGradient(
    attentionNormed,
    dProjected,
    parameters.queriesKeysValues,
    gradients.queriesKeysValues,
  ); // 2
  tf.dispose([attentionNormed, dProjected]);
  await breathe();
  const dx = rmsNormGradient(
    { x, gamma: parameters.attentionNorm, dy: dAttentionNormed, residual: dPassed },
    rmsEps,
    gradients.attentionNorm,
    normShift,
  ); // 1
  tf.dispose([dAfterAttention, dPassed, dAttentionNormed]);
  return dx;
}
