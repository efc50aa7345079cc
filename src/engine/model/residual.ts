/**
 * The sum of a block's residual with what attention or MLP adds: y = r + s · norm(x·W + b). The norm is Gemma 3's and s is Granite's; in
 * other models there is no norm and s is 1, so the product itself goes on from the residual.
 */
import * as tf from '../backend/tf.ts';
import { rmsNorm, rmsNormGradient } from '../kernels/index.ts';
import type { Slice } from '../kernels/shared/slice.ts';
import type { ModelConfig } from './config.ts';
import { applyLinear, type Linear } from './linear.ts';

type Numbers = Pick<ModelConfig, 'rmsEps' | 'normShift' | 'residualScale'>;

/** Returns y [N, D], and x·W + b if the backward pass needs it. Both are the caller's. */
export function addToResidual(
  x: tf.Tensor,
  linear: Linear,
  norm: Slice | null,
  residual: tf.Tensor,
  { rmsEps, normShift, residualScale }: Numbers,
): { y: tf.Tensor; added?: tf.Tensor } {
  if (norm === null && residualScale === 1) return { y: applyLinear(x, linear, residual) };
  const added = applyLinear(x, linear);
  const y = tf.tidy(() => {
    const normed = norm === null ? added : rmsNorm(added, norm, rmsEps, normShift);
    return tf.add(residual, residualScale === 1 ? normed : tf.mul(normed, residualScale));
  });
  if (norm !== null) return { y, added };
  added.dispose();
  return { y };
}

/** d (x·W + b) from dy. It adds to the gradient of the norm, or leaves it out if the norm is frozen (null). */
export function addedGradient(
  added: tf.Tensor | null,
  dy: tf.Tensor,
  norm: Slice | null,
  normGradient: Slice | null,
  { rmsEps, normShift, residualScale }: Numbers,
): tf.Tensor {
  return tf.tidy(() => {
    const dNormed = residualScale === 1 ? tf.clone(dy) : tf.mul(dy, residualScale);
    if (norm === null || added === null) return dNormed;
    return rmsNormGradient({ x: added, gamma: norm, dy: dNormed }, rmsEps, normGradient, normShift);
  });
}
