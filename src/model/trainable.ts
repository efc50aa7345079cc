/** What an optimizer updates: all weights of a model, or the adapter of one whose weights are frozen. */
import type * as tf from '../backend/tf.ts';
import type { AdapterGradients } from './adapter.ts';
import type { ArrayMap } from './poolLayout.ts';
import type { Gradients } from './weights.ts';

/** Where a backward pass adds up the gradients of whatever is trained. */
export type TrainedGradients = Gradients | AdapterGradients;

export interface Trainable {
  /** The pool of what is trained. */
  readonly tensor: tf.Tensor;
  /** Floats at the start of the pool that weight decay acts on. */
  readonly decayedLength: number;
  /** A pool of zeros in the same layout; the caller disposes of it. */
  newGradients(): TrainedGradients;
  /** From the tensors of a file, by its names and in its layout, to the layout of the pool. Throws on a missing name. */
  packNamed(arrays: ReadonlyMap<string, { readonly data: Float32Array }>): Float32Array;
  /** The way back, for anything in the layout of the pool. Throws when the length differs. */
  unpackNamed(pool: Float32Array): ArrayMap;
}
