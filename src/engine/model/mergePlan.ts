/**
 * The plan of merging base weights and an adapter, W' = W + (α / r)·A·B: which numbers go where, parameter by parameter. It has shapes
 * and places alone; `mergeAdapter.ts` and the generators' decoders do the arithmetic.
 */
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
import { parameterSpecs } from './parameters.ts';
import { EMBEDDING, HEAD } from './weightNames.ts';

/** A product for some columns of a parameter. Both matrices are in the array of `mergeFactors`. */
export interface MergeProduct {
  /** The left matrix [r, rows], with all rows of the parameter. Its transpose is multiplied. */
  readonly left: AdapterMatrix;
  /** The right matrix [r, columns]. */
  readonly right: AdapterMatrix;
  /** The first column that the product is added to. The columns of a parameter's products do not overlap. */
  readonly column: number;
}

export interface MergedParameter {
  readonly name: string;
  /** The rows and their width. A vector, to which nothing is added, has its length and 1. */
  readonly rows: number;
  readonly width: number;
  /** The offset of the first float in the merged pool, and in the base's. They differ if the adapter unties the head. */
  readonly offset: number;
  readonly baseOffset: number;
  readonly products: readonly MergeProduct[];
}

export interface MergePlan {
  readonly base: ModelConfig;
  /** The architecture of the result. */
  readonly merged: ModelConfig;
  /** The value of `loraScale`, for every product. */
  readonly scale: number;
  /** The number of floats in the adapter's pool and in the array of `mergeFactors`. */
  readonly factors: number;
  /** Every parameter of the result in the order of its pool. */
  readonly parameters: readonly MergedParameter[];
  /** The matrices A as the adapter's pool has them. */
  readonly downward: readonly AdapterMatrix[];
}

/** The same numbers at the same place, with rows and columns exchanged. */
const turned = ({ offset, shape: [rows, columns] }: AdapterMatrix): AdapterMatrix => ({
  offset,
  shape: [columns, rows],
});

/** A·B, or its transpose Bᵀ·Aᵀ: the one whose rows are those of the parameter that it is added to. */
function productOf({ a, b, column, outputsFirst }: AdapterSpec): MergeProduct {
  const [inputs, outputs] = [turned(a), b];
  return outputsFirst ? { left: outputs, right: inputs, column } : { left: inputs, right: outputs, column };
}

/** @throws LoraError for impossible settings. */
export function mergePlan(config: ModelConfig, settings: LoraSettings): MergePlan {
  const merged = mergedConfig(config, settings);
  const adapted = adapterSpecs(config, settings);
  const baseOffsets = new Map(parameterSpecs(config).map(({ name, offset }) => [name, offset]));
  const parameters = parameterSpecs(merged).map(({ name, shape, offset }): MergedParameter => {
    // An untied head starts as the embedding.
    const baseOffset = baseOffsets.get(name) ?? (name === HEAD ? baseOffsets.get(EMBEDDING) : undefined);
    if (baseOffset === undefined) throw new Error(`The base model has no parameter ${name}.`);
    const [rows = 0, width = 1] = shape;
    const products = adapted.filter(({ parameter }) => parameter === name).map(productOf);
    return { name, rows, width, offset, baseOffset, products };
  });
  return {
    base: config,
    merged,
    scale: loraScale(settings),
    factors: adapterLength(config, settings),
    parameters,
    downward: adapted.map(({ a }) => a),
  };
}

/** @throws Error if a pool has the wrong length. */
export function checkLength(what: string, found: number, needed: number): void {
  if (found === needed) return;
  throw new Error(`${what} holds ${found} numbers; this model and these LoRA settings need ${needed}.`);
}

/**
 * A copy of an adapter's pool (`adapterSpecs`) with the left and right matrices of all products. A is transposed to [r, in], so that in
 * both matrices the numbers that a step of the sum over r reads are side by side.
 *
 * @throws Error if the pool has another length.
 */
export function mergeFactors(
  { factors, downward }: MergePlan,
  adapterPool: Float32Array,
): Float32Array<ArrayBuffer> {
  checkLength('The pool of the adapter', adapterPool.length, factors);
  const ordered = new Float32Array(adapterPool);
  for (const {
    offset,
    shape: [rows, columns],
  } of downward) {
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++)
        ordered[offset + column * rows + row] = adapterPool[offset + row * columns + column] as number;
    }
  }
  return ordered;
}

/** Copies base weights to their places in the merged architecture. */
export function copyBase(
  { base, merged, parameters }: MergePlan,
  pool: Float32Array,
  target: Float32Array,
): void {
  if (merged === base) {
    target.set(pool);
    return;
  }
  target.fill(0);
  for (const { rows, width, offset, baseOffset } of parameters)
    target.set(pool.subarray(baseOffset, baseOffset + rows * width), offset);
}

/** The rows of a part are a multiple of this, except for the last part. */
const ROW_STEP = 4;

/** The smallest number of floats that a part of `rowChunks` can have. */
export const smallestPart = ({ rows, width }: MergedParameter): number => Math.min(rows, ROW_STEP) * width;

/** The parts of a parameter: whole rows of at most `most` floats, but at least four rows. All but the last have a multiple of four rows. */
export function rowChunks(
  { rows, width }: MergedParameter,
  most: number,
): { readonly firstRow: number; readonly rows: number }[] {
  const step = Math.max(ROW_STEP, Math.floor(most / width / ROW_STEP) * ROW_STEP);
  return Array.from({ length: Math.ceil(rows / step) }, (_, i) => ({
    firstRow: i * step,
    rows: Math.min(step, rows - i * step),
  }));
}
