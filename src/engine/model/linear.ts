/**
 * A linear map, with or without an adapter: y = x·W + b + (α / r)·(x·A)·B (Hu et al. 2021). The adapter's product is computed separately
 * and never added to W. Several maps of one input are one matrix W here, side by side; each may have its own A and B. A W that can be
 * trained is [in, out] in a pool; a frozen one is [out, in], as in the model's files.
 */
import { WASM_BACKEND } from '../backend/kernelRegistry.ts';
import * as tf from '../backend/tf.ts';
import {
  addColumnSums,
  addLowRankGradients,
  gemm,
  gemmInto,
  lowRankColumns,
  takeColumns,
} from '../kernels/index.ts';
import { isFrozen } from '../kernels/frozenMatrix/matrixView.ts';
import type { FrozenMatrix } from '../kernels/frozenMatrix/frozenMatrix.ts';
import type { Slice } from '../kernels/shared/slice.ts';
import type { Adapter, LowRankPair } from './adapter.ts';

/** Pairs for parts of a map's outputs, in order of their columns; at least one. */
export interface LowRankParts {
  readonly pairs: readonly LowRankPair[];
  /** The scale of `Adapter`. */
  readonly scale: Adapter['scale'];
}

/** A linear map's matrix, [in, out] in a pool or frozen [out, in], its bias, and its adapter. */
export interface Linear<Matrix extends Slice | FrozenMatrix = Slice | FrozenMatrix> {
  readonly weight: Matrix;
  readonly bias: Slice | null;
  readonly lowRank: LowRankParts | null;
}

/** The sums to which the gradients of a map are added: those of matrix and bias, or only of the pairs if these are frozen. */
export type LinearGradients =
  | { readonly weight: Slice; readonly bias: Slice | null }
  | { readonly pairs: readonly LowRankPair[] };

const scaledBy = (x: tf.Tensor2D, scale: Adapter['scale']): tf.Tensor2D => (scale ? tf.mul(x, scale) : x);

/** (α / r)·x·A [N, r]. */
export function lowRankInput(x: tf.Tensor, { a }: LowRankPair, scale: Adapter['scale']): tf.Tensor2D {
  return tf.tidy(() => scaledBy(gemm(x, a, 'nn'), scale));
}

const columnsOf = ({ b }: LowRankPair): number => b.shape[1] ?? 0;

/** The adapter's part of the outputs [N, out] plus `residual` [N, out], if there is one; columns without a pair have that alone. */
export function lowRankOutput(
  x: tf.Tensor,
  parts: LowRankParts,
  columns: number,
  residual: tf.Tensor | null = null,
): tf.Tensor2D {
  const { pairs, scale } = parts;
  if (tf.getBackend() === WASM_BACKEND) return lowRankColumns(x, pairs, scale, columns, residual);
  return tf.tidy(() => {
    const output = composedLowRankOutput(x, parts, columns);
    return residual ? tf.add(output, residual) : output;
  });
}

/** The same of products and a concatenation. */
export function composedLowRankOutput(
  x: tf.Tensor,
  { pairs, scale }: LowRankParts,
  columns: number,
): tf.Tensor2D {
  return tf.tidy(() => {
    const rows = x.shape[0] ?? 0;
    const pieces: tf.Tensor2D[] = [];
    let column = 0;
    const fillTo = (end: number): void => {
      if (end > column) pieces.push(tf.zeros([rows, end - column]));
      column = end;
    };
    for (const pair of pairs) {
      fillTo(pair.column);
      pieces.push(gemm(lowRankInput(x, pair, scale), pair.b, 'nn'));
      column += columnsOf(pair);
    }
    fillTo(columns);
    const [only] = pieces;
    return pieces.length === 1 && only ? only : tf.concat(pieces, 1);
  });
}

const outputsOf = (weight: Slice | FrozenMatrix): number => weight.shape[isFrozen(weight) ? 0 : 1] ?? 0;

const forwardLayout = (weight: Slice | FrozenMatrix) => (isFrozen(weight) ? 'nt' : 'nn');
const backwardLayout = (weight: Slice | FrozenMatrix) => (isFrozen(weight) ? 'nn' : 'nt');

/** `x` [N, in] → [N, out], plus `residual` [N, out] if there is one. */
export function applyLinear(x: tf.Tensor, linear: Linear, residual: tf.Tensor | null = null): tf.Tensor2D {
  const { weight, bias, lowRank } = linear;
  const layout = forwardLayout(weight);
  if (!lowRank) return gemm(x, weight, layout, { bias, ...(residual ? { residual } : {}) });
  return tf.tidy(() =>
    gemm(x, weight, layout, { bias, residual: lowRankOutput(x, lowRank, outputsOf(weight), residual) }),
  );
}

/** Adds the gradients of a map's parameters, given its input and the gradient of its output; returns dx [N, in]. */
export function linearGradient(
  x: tf.Tensor,
  dy: tf.Tensor,
  { weight, lowRank }: Linear,
  gradients: LinearGradients,
): tf.Tensor2D {
  if ('weight' in gradients) {
    gemmInto(gradients.weight, x, dy, 'tn');
    if (gradients.bias) addColumnSums(gradients.bias, dy);
    return gemm(dy, weight, backwardLayout(weight));
  }
  return tf.tidy(() => {
    const dx = gemm(dy, weight, backwardLayout(weight));
    return lowRank ? lowRankGradient(x, dy, lowRank, gradients.pairs, dx) : dx;
  });
}

/** Adds the gradients of `lowRankOutput`'s pairs to their sums; returns `dx` plus that of x, and may write it into `dx`. */
export function lowRankGradient(
  x: tf.Tensor,
  dy: tf.Tensor,
  parts: LowRankParts,
  sums: readonly LowRankPair[],
  dx: tf.Tensor2D,
): tf.Tensor2D {
  if (tf.getBackend() !== WASM_BACKEND) return composedLowRankGradient(x, dy, parts, sums, dx);
  addLowRankGradients(x, dy, parts.pairs, parts.scale, sums, dx);
  return dx;
}

/** The same of products. */
export function composedLowRankGradient(
  x: tf.Tensor,
  dy: tf.Tensor,
  { pairs, scale }: LowRankParts,
  sums: readonly LowRankPair[],
  dx: tf.Tensor2D,
): tf.Tensor2D {
  return tf.tidy(() =>
    pairs.reduce((before, pair, i) => {
      const target = sums[i];
      if (!target) throw new Error(`There is no gradient for pair ${i} of the adapter.`);
      const whole = columnsOf(pair) === dy.shape[1];
      const part = whole ? dy : takeColumns(dy, pair.column, columnsOf(pair));
      const u = lowRankInput(x, pair, scale);
      const du = gemm(part, pair.b, 'nt');
      gemmInto(target.b, u, part, 'tn');
      return addLowRankInputGradient(x, du, pair, scale, target, before);
    }, dx),
  );
}

/** dx [N, in] plus `dx`, from the gradient of `lowRankInput`'s result. It also adds the gradient of A. */
export function addLowRankInputGradient(
  x: tf.Tensor,
  du: tf.Tensor2D,
  { a }: LowRankPair,
  scale: Adapter['scale'],
  target: LowRankPair,
  dx: tf.Tensor,
): tf.Tensor2D {
  return tf.tidy(() => {
    const scaled = scaledBy(du, scale);
    gemmInto(target.a, x, scaled, 'tn');
    return gemm(scaled, a, 'nt', { residual: dx });
  });
}
