/**
 * The op on queries and keys between their product and attention: RMSNorm over each head (Qwen3, Gemma 3; left out if a model has none), then
 * rotary position embedding (Su et al. 2021) in Hugging Face's half-split layout: within a head, element i turns with element i +
 * headDim/2 by the angle position · frequency_i. Values pass through. Rows are q | k | v. Sine and cosine come from a table made in
 * float64, so a far position is as exact on a GPU as here. The backward pass is the inverse rotation, then the norm's gradient.
 */
import type * as tf from '../../backend/tf.ts';
import { registerOp, runSingle } from '../../backend/kernelRegistry.ts';
import { offsetOf, tensorOf, type Operand, type Slice } from '../shared/slice.ts';
import {
  type HeadRotationAttributes,
  type HeadRotationGradientAttributes,
  headRotationGradientOnWasm,
  headRotationOnWasm,
} from './wasm.ts';
import { headRotationGradientOnWebGpu, headRotationOnWebGpu } from './webgpu.ts';

registerOp<HeadRotationAttributes>({
  name: 'RlHeadRotation',
  wasm: headRotationOnWasm,
  webgpu: headRotationOnWebGpu,
});
registerOp<HeadRotationGradientAttributes>({
  name: 'RlHeadRotationGradient',
  wasm: headRotationGradientOnWasm,
  webgpu: headRotationGradientOnWebGpu,
});

/** The numbers of the norms over each head; they have no meaning without norms. */
export interface HeadNormNumbers {
  readonly epsilon: number;
  /** The number that is added to the scales; 0 by default. */
  readonly shift?: number;
}

export interface HeadShape {
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
}

export interface Rotation {
  /** The positions, int32 [N]. */
  readonly positions: tf.Tensor;
  /** The table of cosines [maxPositions, headDim / 2]. */
  readonly cosines: tf.Tensor;
  readonly sines: tf.Tensor;
}

/** The scales [headDim] of the norms over each head of q and of k. */
export interface HeadNorms<T> {
  readonly query: T;
  readonly key: T;
}

function split(norms: HeadNorms<Operand> | null) {
  const tensors: Record<string, tf.Tensor> = norms
    ? { queryNorm: tensorOf(norms.query), keyNorm: tensorOf(norms.key) }
    : {};
  return {
    tensors,
    offsets: {
      queryNormOffset: norms ? offsetOf(norms.query) : 0,
      keyNormOffset: norms ? offsetOf(norms.key) : 0,
    },
  };
}

/** `qkv` [N, (heads + 2·kvHeads)·headDim] → the same shape, with queries and keys normalised and turned. */
export function rotateHeads(
  qkv: tf.Tensor,
  rotation: Rotation,
  norms: HeadNorms<Operand> | null,
  shape: HeadShape & HeadNormNumbers,
): tf.Tensor2D {
  const { tensors, offsets } = split(norms);
  return runSingle(
    'RlHeadRotation',
    { qkv, ...rotation, ...tensors },
    { shift: 0, ...shape, ...offsets },
  ) as tf.Tensor2D;
}

/**
 * d qkv, given the op's own input and `dy` of its output. It adds the gradients of the norms' scales to their slices, or leaves them out
 * if the scales are frozen (null).
 */
export function rotateHeadsGradient(
  { qkv, dy }: { qkv: tf.Tensor; dy: tf.Tensor },
  rotation: Rotation,
  norms: (HeadNorms<Operand> & { readonly gradients: HeadNorms<Slice> | null }) | null,
  shape: HeadShape & HeadNormNumbers,
): tf.Tensor2D {
  const { tensors, offsets } = split(norms);
  const targets = norms?.gradients ?? null;
  const gradients: Record<string, tf.Tensor> = targets
    ? { queryNormGradient: targets.query.tensor, keyNormGradient: targets.key.tensor }
    : {};
  return runSingle(
    'RlHeadRotationGradient',
    { qkv, dy, ...rotation, ...tensors, ...gradients },
    {
      shift: 0,
      ...shape,
      ...offsets,
      queryNormGradientOffset: targets?.query.offset ?? 0,
      keyNormGradientOffset: targets?.key.offset ?? 0,
    },
  ) as tf.Tensor2D;
}
