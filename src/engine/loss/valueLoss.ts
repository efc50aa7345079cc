/**
 * The loss of the value head, which learns to predict the return. It is clipped as the ratio is, so that several passes over a batch do
 * not take it far from the values that advantages were computed with (the code beside Schulman et al. 2017; TRL's `cliprange_value`).
 * Arrays are [B, T].
 */
import * as tf from '../backend/tf.ts';

/** The value head's part of an update's loss: coefficient · scale · Σ ℓ over the tokens that are learned from. */
export interface ValueTerm {
  /** The weight beside the policy's loss (`vf_coef`). */
  readonly coefficient: number;
  /** The largest distance from V before the update that counts; null turns clipping off. */
  readonly clipRange: number | null;
  /** 1 / the tokens of the update that are learned from: the loss is a token mean, whatever the policy's reduction. */
  readonly scale: number;
}

export interface ValueInputs {
  /** V of the policy being trained. */
  readonly value: tf.Tensor2D;
  /** V before the first update of the batch. */
  readonly oldValue: tf.Tensor2D;
  /** R, the target of V. */
  readonly returns: tf.Tensor2D;
}

/** ½ (V − R)² at each token. */
const squaredError = (value: tf.Tensor2D, returns: tf.Tensor2D): tf.Tensor2D =>
  tf.mul(0.5, tf.square(tf.sub(value, returns)));

/** ½ (clip(V) − R)², clip(V) being V within ε of V_old. */
function clippedError({ value, oldValue, returns }: ValueInputs, range: number): tf.Tensor2D {
  const low = tf.sub<tf.Tensor2D>(oldValue, range);
  const high = tf.add<tf.Tensor2D>(oldValue, range);
  return squaredError(tf.minimum<tf.Tensor2D>(tf.maximum(value, low), high), returns);
}

/** ℓ = max(½ (V − R)², ½ (clip(V) − R)²), or ½ (V − R)² without a range. A token whose clipped error is larger has no gradient. */
export function valueLoss(inputs: ValueInputs, range: number | null): tf.Tensor2D {
  const free = squaredError(inputs.value, inputs.returns);
  return range === null ? free : tf.maximum<tf.Tensor2D>(free, clippedError(inputs, range));
}

/** 1 at each token whose clipped error is larger, so that clipping acts. */
export function clippedValues(inputs: ValueInputs, range: number | null): tf.Tensor2D {
  if (range === null) return tf.zerosLike(inputs.value);
  const free = squaredError(inputs.value, inputs.returns);
  return tf.cast(tf.greater(clippedError(inputs, range), free), 'float32');
}

/**
 * Returns scale · Σ ℓ, the share of tokens that were clipped (scale · their number), and coefficient · d of the former / d V [B, T].
 * `learned` is 1 at tokens that are learned from.
 */
export function valueUpdate(
  inputs: ValueInputs,
  learned: tf.Tensor2D,
  { coefficient, clipRange, scale }: ValueTerm,
): { readonly loss: tf.Scalar; readonly clipped: tf.Scalar; readonly gradient: tf.Tensor2D } {
  return tf.tidy(() => {
    const sum = (tokens: tf.Tensor2D): tf.Scalar => tf.mul(scale, tf.sum(tf.mul(learned, tokens)));
    const { value: loss, grad: dvalue } = tf.valueAndGrad((value: tf.Tensor) =>
      sum(valueLoss({ ...inputs, value: value as tf.Tensor2D }, clipRange)),
    )(inputs.value);
    return {
      loss: loss as tf.Scalar,
      clipped: sum(clippedValues(inputs, clipRange)),
      gradient: tf.mul(coefficient, dvalue),
    };
  });
}
