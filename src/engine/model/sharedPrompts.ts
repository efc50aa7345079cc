/**
 * Prompts that rows of a batch share. All maps and norms of a model work on a list of positions: a prompt's positions are in it once, and
 * padding is not. Attention works on the batch, where each row has a copy of its prompt, so every value is the same to the bit as
 * without sharing, and copying costs hundredths of a product. The rest of the model reads the first copy of what attention makes. The
 * gradient of a listed position is the sum over its copies.
 */
import * as tf from '../backend/tf.ts';
import {
  selfAttention,
  selfAttentionGradient,
  sumCopies,
  takeRows,
  type Attended,
} from '../kernels/index.ts';
import type { SelfAttentionAttributes } from '../kernels/selfAttention/wasm.ts';
import { filledRows } from './rowSteps.ts';

/** The positions of a batch that are computed, as a list. */
export interface SharedPositions {
  /** The place of each listed position in the batch, b·length + t, or that of its first copy if it has several. */
  readonly first: Int32Array;
  /** The number of its copies, which are in rows that follow each other. */
  readonly copies: Int32Array;
}

/** A list of shared positions on the device, filled up with rows that have no copies and −1 as their first position. */
export interface SharedRows {
  readonly first: tf.Tensor1D;
  readonly copies: tf.Tensor1D;
  /** The place in the list of each position of the batch; −1 in padding. */
  readonly places: tf.Tensor1D;
  /** The same numbers for first copies, and −1 for the others. */
  readonly placesOfFirst: tf.Tensor1D;
  /** The length of a row of the batch. */
  readonly length: number;
  /** The same numbers as `first`, on the host. */
  readonly positions: Int32Array;
}

export function shareRows(
  { first, copies }: SharedPositions,
  { batch, length }: { readonly batch: number; readonly length: number },
): SharedRows {
  const positions = filledRows(first);
  const terms = new Int32Array(positions.length);
  terms.set(copies);
  const places = new Int32Array(batch * length).fill(-1);
  const placesOfFirst = new Int32Array(batch * length).fill(-1);
  first.forEach((position, place) => {
    placesOfFirst[position] = place;
    for (let copy = 0; copy < (copies[place] ?? 0); copy++) places[position + copy * length] = place;
  });
  const int32 = (values: Int32Array): tf.Tensor1D => tf.tensor1d(values, 'int32');
  return {
    first: int32(positions),
    copies: int32(terms),
    places: int32(places),
    placesOfFirst: int32(placesOfFirst),
    length,
    positions,
  };
}

export function disposeShared({ first, copies, places, placesOfFirst }: SharedRows): void {
  tf.dispose([first, copies, places, placesOfFirst]);
}

/** The rows of the list as those of the batch, with zeros in padding; `x` itself if nothing is shared. */
export function copiedRows(x: tf.Tensor, shared: SharedRows | null): tf.Tensor {
  return shared ? takeRows(x, shared.places) : x;
}

/** The gradient of `copiedRows`; `dy` itself if nothing is shared. */
export function summedRows(dy: tf.Tensor, shared: SharedRows | null): tf.Tensor {
  return shared ? sumCopies(dy, shared.first, shared.copies, shared.length) : dy;
}

/** `selfAttention` of the rows of the list. */
export function attend(
  qkv: tf.Tensor,
  attributes: SelfAttentionAttributes,
  shared: SharedRows | null,
): Attended {
  if (shared === null) return selfAttention(qkv, attributes);
  return tf.tidy(() => {
    const { mixed, logSumExp } = selfAttention(copiedRows(qkv, shared), attributes);
    return { mixed: takeRows(mixed, shared.first), logSumExp: takeRows(logSumExp, shared.first) };
  });
}

/** The gradient of `attend`. */
export function attendGradient(
  { qkv, mixed, logSumExp, dy }: { qkv: tf.Tensor; dy: tf.Tensor } & Attended,
  attributes: SelfAttentionAttributes,
  shared: SharedRows | null,
): tf.Tensor {
  if (shared === null) return selfAttentionGradient({ qkv, mixed, logSumExp, dy }, attributes);
  return tf.tidy(() => {
    const copied = (values: tf.Tensor): tf.Tensor => copiedRows(values, shared);
    const held = { qkv: copied(qkv), mixed: copied(mixed), logSumExp: copied(logSumExp) };
    const dFirst = takeRows(dy, shared.placesOfFirst);
    return summedRows(selfAttentionGradient({ ...held, dy: dFirst }, attributes), shared);
  });
}
