/**
 * Merges base weights and an adapter into weights that need no adapter, W' = W + (α / r)·A·B: on the host in float64, and on the running
 * backend in f32.
 */
import * as tf from '../backend/tf.ts';
import { mergeColumns } from '../kernels/index.ts';
import type { ModelConfig } from './config.ts';
import type { AdapterMatrix, LoraSettings } from './lora.ts';
import {
  checkLength,
  copyBase,
  mergeFactors,
  mergePlan,
  rowChunks,
  type MergePlan,
  type MergeProduct,
} from './mergePlan.ts';
import { packedLength } from './parameters.ts';
import type { ParameterPool } from './weights.ts';

/** A part of a pool, in float64. */
const matrixOf = (pool: Float32Array, { offset, shape: [rows, columns] }: AdapterMatrix): Float64Array =>
  Float64Array.from(pool.subarray(offset, offset + rows * columns));

/** sum [n] = left [rank] · right [rank, n], four rows of `right` at a time: four times fewer loads and stores of the sum. */
export function addRows(sum: Float64Array, left: Float64Array, right: Float64Array): void {
  const n = sum.length;
  sum.fill(0);
  let k = 0;
  for (; k + 4 <= left.length; k += 4) {
    const [l0, l1] = [left[k] as number, left[k + 1] as number];
    const [l2, l3] = [left[k + 2] as number, left[k + 3] as number];
    const [r1, r2, r3] = [(k + 1) * n, (k + 2) * n, (k + 3) * n];
    for (let j = 0, r0 = k * n; j < n; j++) {
      sum[j] =
        (sum[j] as number) +
        (l0 * (right[r0 + j] as number) +
          l1 * (right[r1 + j] as number) +
          l2 * (right[r2 + j] as number) +
          l3 * (right[r3 + j] as number));
    }
  }
  for (; k < left.length; k++) {
    const factor = left[k] as number;
    for (let j = 0, r = k * n; j < n; j++) sum[j] = (sum[j] as number) + factor * (right[r + j] as number);
  }
}

/** Adds scale·leftᵀ·right to its columns of a matrix. Sums in float64 and in a fixed order, so that every thread gets the same bits. */
function addProduct(
  { left, right, column }: MergeProduct,
  scale: number,
  factors: Float32Array,
  matrix: { readonly values: Float32Array; readonly width: number },
): void {
  const [rank, rows] = left.shape;
  const [, columns] = right.shape;
  const turned = matrixOf(factors, left);
  const wide = matrixOf(factors, right);
  const leftRow = new Float64Array(rank);
  const sum = new Float64Array(columns);
  for (let row = 0; row < rows; row++) {
    for (let k = 0; k < rank; k++) leftRow[k] = scale * (turned[k * rows + row] as number);
    addRows(sum, leftRow, wide);
    const first = row * matrix.width + column;
    for (let j = 0; j < columns; j++)
      matrix.values[first + j] = (matrix.values[first + j] as number) + (sum[j] as number);
  }
}

/**
 * The pool of the merged weights, in the layout of `mergedConfig(config, settings)`, which is that of the base model unless the adapter
 * unties the head. `basePool` has the layout of `config` and is not changed; `adapterPool` has that of `adapterSpecs`. A given `target`
 * is overwritten. Equal inputs give equal bits on every machine.
 *
 * @throws LoraError for impossible settings, and Error if an array has another length.
 */
export function mergeAdapter(
  config: ModelConfig,
  basePool: Float32Array,
  adapterPool: Float32Array,
  settings: LoraSettings,
  target?: Float32Array,
): Float32Array {
  const plan = mergePlan(config, settings);
  checkLength('The pool of the base weights', basePool.length, packedLength(config));
  const factors = mergeFactors(plan, adapterPool);
  const pool = target ?? new Float32Array(packedLength(plan.merged));
  checkLength('The pool for the merged weights', pool.length, packedLength(plan.merged));
  copyBase(plan, basePool, pool);
  for (const { offset, rows, width, products } of plan.parameters) {
    const values = pool.subarray(offset, offset + rows * width);
    for (const product of products) addProduct(product, plan.scale, factors, { values, width });
  }
  return pool;
}

/** The floats of the base that are on the device beside the weights at a time: a megabyte, which stays in a processor's caches. */
const CHUNK = 2 ** 18;

/**
 * Writes W + (α / r)·A·B to the columns that an adapter changes. `weights` has the plan's merged layout and holds the base's numbers
 * everywhere else; the previous contents of these columns do not matter. `base` is the base's own pool, and `factors` come from
 * `mergeFactors`. `rounded` rounds to numbers that a half can hold.
 */
export function mergeIntoWeights(
  weights: ParameterPool,
  { parameters, scale }: MergePlan,
  base: Float32Array,
  factors: Float32Array,
  rounded = false,
): void {
  tf.tidy(() => {
    const tensor = tf.tensor1d(factors);
    const slice = (matrix: AdapterMatrix) => ({ tensor, ...matrix });
    for (const parameter of parameters) {
      const { name, width, baseOffset, products } = parameter;
      if (products.length === 0) continue;
      const merged = weights.get(name);
      for (const { firstRow, rows } of rowChunks(parameter, CHUNK)) {
        const first = baseOffset + firstRow * width;
        // The rows are copied because tfjs takes no shared memory.
        const from = tf.tensor2d(new Float32Array(base.subarray(first, first + rows * width)), [rows, width]);
        for (const { left, right, column } of products)
          mergeColumns(merged, from, firstRow, {
            left: slice(left),
            right: slice(right),
            column,
            scale,
            rounded,
          });
        from.dispose();
      }
    }
  });
}
