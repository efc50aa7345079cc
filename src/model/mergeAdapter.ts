/** Base weights and adapter merged into weights that need no adapter: W' = W + (α / r)·A·B. */
import type { ModelConfig } from './config.ts';
import {
  adapterLength,
  adapterSpecs,
  loraScale,
  mergedConfig,
  type AdapterMatrix,
  type AdapterSpec,
  type LoraSettings,
} from './lora.ts';
import { packedLength, parameterSpecs, type ParameterSpec } from './parameters.ts';

const HEAD = 'lm_head.weight';
const EMBEDDING = 'model.embed_tokens.weight';

const sizeOf = ({ shape }: ParameterSpec): number => shape.reduce((product, extent) => product * extent, 1);

function checkLength(what: string, found: number, needed: number): void {
  if (found === needed) return;
  throw new Error(`${what} holds ${found} numbers; this model and these LoRA settings need ${needed}.`);
}

/** Copies the base weights to where the merged architecture has them; an untied head starts as the embedding. */
function copyBase(
  config: ModelConfig,
  merged: ModelConfig,
  basePool: Float32Array,
  target: Float32Array,
): void {
  if (merged.tiedHead === config.tiedHead) {
    target.set(basePool);
    return;
  }
  target.fill(0);
  const places = new Map(parameterSpecs(config).map((spec) => [spec.name, spec.offset]));
  for (const spec of parameterSpecs(merged)) {
    const from = places.get(spec.name === HEAD ? EMBEDDING : spec.name);
    if (from === undefined) throw new Error(`The base model has no parameter ${spec.name}.`);
    target.set(basePool.subarray(from, from + sizeOf(spec)), spec.offset);
  }
}

/** A copy in float64 of part of a pool: [rows, columns], times `scale`, transposed or not. */
function matrixOf(
  pool: Float32Array,
  { offset, shape: [rows, columns] }: AdapterMatrix,
  transposed: boolean,
  scale = 1,
): Float64Array {
  const matrix = new Float64Array(rows * columns);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const at = transposed ? column * rows + row : row * columns + column;
      matrix[at] = scale * (pool[offset + row * columns + column] as number);
    }
  }
  return matrix;
}

/** sum [n] = left [rank] · right [rank, n], four rows of `right` at a time: four times fewer loads and stores of the sum. */
function addRows(sum: Float64Array, left: Float64Array, right: Float64Array): void {
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

/** Adds scale·A·B to its columns of a matrix. Sums in float64 and in a fixed order, so that every thread gets the same bits. */
function addProduct(
  { a, b, column, outputsFirst }: AdapterSpec,
  scale: number,
  adapterPool: Float32Array,
  matrix: { readonly values: Float32Array; readonly width: number },
): void {
  const [inputs, rank] = a.shape;
  const [, outputs] = b.shape;
  // A·B, or its transpose Bᵀ·Aᵀ: either way row by row of the matrix that it is added to.
  const [rows, columns] = outputsFirst ? [outputs, inputs] : [inputs, outputs];
  const left = matrixOf(adapterPool, outputsFirst ? b : a, outputsFirst, scale);
  const right = matrixOf(adapterPool, outputsFirst ? a : b, outputsFirst);
  const sum = new Float64Array(columns);
  for (let row = 0; row < rows; row++) {
    addRows(sum, left.subarray(row * rank, (row + 1) * rank), right);
    const first = row * matrix.width + column;
    for (let j = 0; j < columns; j++) {
      matrix.values[first + j] = (matrix.values[first + j] as number) + (sum[j] as number);
    }
  }
}

/**
 * The pool of the merged weights, in the layout of `mergedConfig(config, settings)`, which is the base model's but where the
 * adapter unties the head. `basePool` is laid out by `config` and stays as it is, `adapterPool` by `adapterSpecs`; `target` is
 * written over where one is given. Equal inputs give equal bits on every machine.
 * @throws LoraError for impossible settings; Error where an array has another length.
 */
export function mergeAdapter(
  config: ModelConfig,
  basePool: Float32Array,
  adapterPool: Float32Array,
  settings: LoraSettings,
  target?: Float32Array,
): Float32Array {
  const merged = mergedConfig(config, settings);
  checkLength('The pool of the base weights', basePool.length, packedLength(config));
  checkLength('The pool of the adapter', adapterPool.length, adapterLength(config, settings));
  const pool = target ?? new Float32Array(packedLength(merged));
  checkLength('The pool for the merged weights', pool.length, packedLength(merged));
  copyBase(config, merged, basePool, pool);
  const places = new Map(parameterSpecs(merged).map((spec) => [spec.name, spec]));
  for (const spec of adapterSpecs(config, settings)) {
    const parameter = places.get(spec.parameter);
    if (!parameter) throw new Error(`The base model has no parameter ${spec.parameter}.`);
    const values = pool.subarray(parameter.offset, parameter.offset + sizeOf(parameter));
    addProduct(spec, loraScale(settings), adapterPool, { values, width: parameter.shape[1] ?? 0 });
  }
  return pool;
}
