/**
 * A matrix or vector inside a larger tensor. Parameters, their gradients and Adam's moments are in one pool each, and an op is told which
 * part it reads or adds to. tfjs has no such views, so only our own ops take slices.
 */
import type { Tensor } from '../../backend/tf.ts';

export interface Slice {
  readonly tensor: Tensor;
  /** The offset of the first element, a multiple of 64 (256 bytes: the alignment of WebGPU bindings). */
  readonly offset: number;
  readonly shape: readonly number[];
}

/** A tensor that an op may read: a whole one or a part of one. */
export type Operand = Tensor | Slice;

export function isSlice(operand: Operand): operand is Slice {
  return 'tensor' in operand;
}

export const tensorOf = (operand: Operand): Tensor => (isSlice(operand) ? operand.tensor : operand);
export const offsetOf = (operand: Operand): number => (isSlice(operand) ? operand.offset : 0);
