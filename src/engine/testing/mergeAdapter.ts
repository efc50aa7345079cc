/** The weights of a model with an adapter merged in, W' = W + (α / r)·A·B, from whole pools in float64: what the merges of the engine are held to. */
import type { ModelConfig } from '../model/config.ts';
import type { AdapterMatrix, LoraSettings } from '../model/lora.ts';
import { addRows } from '../model/mergedTensors.ts';
import { checkLength, copyBase, mergeFactors, mergePlan, type MergeProduct } from '../model/mergePlan.ts';
import { packedLength } from '../model/parameters.ts';

/** A part of a pool, in float64. */
const matrixOf = (pool: Float32Array, { offset, shape: [rows, columns] }: AdapterMatrix): Float64Array =>
  Float64Array.from(pool.subarray(offset, offset + rows * columns));

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
