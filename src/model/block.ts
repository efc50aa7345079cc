/**
 * One transformer block of the Llama family, forward and backward, without a tape:
 * h = x + o(attention(norm(x))),  y = h + down(silu(gate(norm(h))) ⊙ up(norm(h))).
 * Activations are [N, D] with N = batch · length. Each line of the backward pass undoes the line of the forward pass
 * that has its number.
 */
import type * as tf from '../backend/tf.ts';
import {
  addColumnSums,
  gatedUnit,
  gatedUnitGradient,
  gemm,
  gemmInto,
  rmsNorm,
  rmsNormGradient,
  rotateHeads,
  rotateHeadsGradient,
  selfAttention,
  selfAttentionGradient,
  type Attended,
  type HeadNorms,
  type Rotation,
} from '../kernels/index.ts';
import type { Slice } from '../kernels/slice.ts';
import type { ModelConfig } from './config.ts';
import type { ParameterPool } from './weights.ts';

/** A linear map's matrix [in, out] and bias, in a pool. */
interface Linear {
  readonly weight: Slice;
  readonly bias: Slice | null;
}

/** The parameters of one block, or their gradients. */
export interface BlockSlices {
  readonly attentionNorm: Slice;
  readonly queriesKeysValues: Linear;
  readonly headNorms: HeadNorms<Slice> | null;
  readonly output: Linear;
  readonly mlpNorm: Slice;
  readonly gateUp: Linear;
  readonly down: Linear;
}

export function blockSlices(pool: ParameterPool, layer: number): BlockSlices {
  const at = (name: string): Slice => pool.get(`model.layers.${layer}.${name}`);
  const linear = (name: string): Linear => ({
    weight: at(`${name}.weight`),
    bias: pool.has(`model.layers.${layer}.${name}.bias`) ? at(`${name}.bias`) : null,
  });
  return {
    attentionNorm: at('input_layernorm.weight'),
    queriesKeysValues: linear('self_attn.qkv_proj'),
    headNorms: pool.config.qkNorm
      ? { query: at('self_attn.q_norm.weight'), key: at('self_attn.k_norm.weight') }
      : null,
    output: linear('self_attn.o_proj'),
    mlpNorm: at('post_attention_layernorm.weight'),
    gateUp: linear('mlp.gate_up_proj'),
    down: linear('mlp.down_proj'),
  };
}

export interface BlockInput {
  readonly config: ModelConfig;
  readonly batch: number;
  readonly length: number;
  readonly rotation: Rotation;
}

/** What a block's backward pass needs of its forward pass, besides the block's input. */
export interface BlockActivations {
  readonly attentionNormed: tf.Tensor;
  readonly projected: tf.Tensor;
  readonly rotated: tf.Tensor;
  readonly attended: Attended;
  readonly afterAttention: tf.Tensor;
  readonly mlpNormed: tf.Tensor;
  readonly gateUp: tf.Tensor;
  readonly gated: tf.Tensor;
}

/** Floats that `BlockActivations` holds for each token. */
export function activationFloats({ hiddenSize, mlpSize, heads, kvHeads, headDim }: ModelConfig): number {
  return 3 * hiddenSize + 2 * (heads + 2 * kvHeads) * headDim + heads * (headDim + 1) + 3 * mlpSize;
}

export function disposeActivations({ attended, ...others }: BlockActivations): void {
  for (const tensor of [attended.mixed, attended.logSumExp, ...Object.values(others)]) tensor.dispose();
}

/** Applies a linear map, adding its bias and a residual while the product is in registers. */
function project(x: tf.Tensor, { weight, bias }: Linear, residual?: tf.Tensor): tf.Tensor {
  return gemm(x, weight, 'nn', { bias, ...(residual ? { residual } : {}) });
}

/** `x` [N, D] → y [N, D] and what backward needs. The caller owns both, and keeps `x`. */
export function blockForward(
  x: tf.Tensor,
  parameters: BlockSlices,
  { config, batch, length, rotation }: BlockInput,
): { y: tf.Tensor; activations: BlockActivations } {
  const { heads, kvHeads, headDim, rmsEps } = config;
  const shape = { heads, kvHeads, headDim };
  const attentionNormed = rmsNorm(x, parameters.attentionNorm, rmsEps); // 1
  const projected = project(attentionNormed, parameters.queriesKeysValues); // 2
  const rotated = rotateHeads(projected, rotation, parameters.headNorms, { ...shape, epsilon: rmsEps }); // 3
  const attended = selfAttention(rotated, { ...shape, batch, length }); // 4
  const afterAttention = project(attended.mixed, parameters.output, x); // 5
  const mlpNormed = rmsNorm(afterAttention, parameters.mlpNorm, rmsEps); // 6
  const gateUp = project(mlpNormed, parameters.gateUp); // 7
  const gated = gatedUnit(gateUp); // 8
  const y = project(gated, parameters.down, afterAttention); // 9
  const activations = {
    attentionNormed,
    projected,
    rotated,
    attended,
    afterAttention,
    mlpNormed,
    gateUp,
    gated,
  };
  return { y, activations };
}

/** Adds the gradients of a linear map's parameters, given its input and the gradient of its output; returns dx. */
function projectGradient(x: tf.Tensor, dy: tf.Tensor, { weight }: Linear, gradients: Linear): tf.Tensor {
  gemmInto(gradients.weight, x, dy, 'tn');
  if (gradients.bias) addColumnSums(gradients.bias, dy);
  return gemm(dy, weight, 'nt');
}

/** dx [N, D] from dy [N, D]; adds to the gradients of the block's parameters. Frees nothing of the caller's. */
export function blockBackward(
  { x, dy }: { x: tf.Tensor; dy: tf.Tensor },
  saved: BlockActivations,
  parameters: BlockSlices,
  gradients: BlockSlices,
  { config, batch, length, rotation }: BlockInput,
): tf.Tensor {
  const { heads, kvHeads, headDim, rmsEps } = config;
  const shape = { heads, kvHeads, headDim };
  const { attended, afterAttention } = saved;
  const norms =
    parameters.headNorms && gradients.headNorms
      ? { ...parameters.headNorms, gradients: gradients.headNorms }
      : null;
  const dGated = projectGradient(saved.gated, dy, parameters.down, gradients.down); // 9
  const dGateUp = gatedUnitGradient(saved.gateUp, dGated); // 8
  const dMlpNormed = projectGradient(saved.mlpNormed, dGateUp, parameters.gateUp, gradients.gateUp); // 7
  const dAfterAttention = rmsNormGradient(
    { x: afterAttention, gamma: parameters.mlpNorm, dy: dMlpNormed, residual: dy },
    rmsEps,
    gradients.mlpNorm,
  ); // 6
  const dMixed = projectGradient(attended.mixed, dAfterAttention, parameters.output, gradients.output); // 5
  const dRotated = selfAttentionGradient(
    { qkv: saved.rotated, ...attended, dy: dMixed },
    { ...shape, batch, length },
  ); // 4
  const dProjected = rotateHeadsGradient({ qkv: saved.projected, dy: dRotated }, rotation, norms, {
    ...shape,
    epsilon: rmsEps,
  }); // 3
  const dAttentionNormed = projectGradient(
    saved.attentionNormed,
    dProjected,
    parameters.queriesKeysValues,
    gradients.queriesKeysValues,
  ); // 2
  const dx = rmsNormGradient(
    { x, gamma: parameters.attentionNorm, dy: dAttentionNormed, residual: dAfterAttention },
    rmsEps,
    gradients.attentionNorm,
  ); // 1
  for (const tensor of [
    dGated,
    dGateUp,
    dMlpNormed,
    dAfterAttention,
    dMixed,
    dRotated,
    dProjected,
    dAttentionNormed,
  ]) {
    tensor.dispose();
  }
  return dx;
}
