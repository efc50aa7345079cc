/**
 * How base weights and an adapter become weights that need no adapter, W' = W + (α / r)·A·B: which numbers go where,
 * parameter by parameter. Shapes and places alone; `mergeAdapter.ts` and the generators' decoders do the arithmetic.
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

/** A product for some columns of a parameter. Both matrices lie in the array of `mergeFactors`. */
export interface MergeProduct {
  /** [r, rows], with all rows of the parameter: its transpose counts. */
  readonly left: AdapterMatrix;
  /** [r, columns]. */
  readonly right: AdapterMatrix;
  /** The first column that it is for. No two products of a parameter are for the same. */
  readonly column: number;
}

export interface MergedParameter {
  readonly name: string;
  /** Of a vector, which nothing is added to, its length and 1. */
  readonly rows: number;
  readonly width: number;
  /** First float in the merged pool, and in the base's. They differ where the adapter unties the head. */
  readonly offset: number;
  readonly baseOffset: number;
  readonly products: readonly MergeProduct[];
}

export interface MergePlan {
  readonly base: ModelConfig;
  /** The architecture of the result. */
  readonly merged: ModelConfig;
  /** `loraScale`, for every product. */
  readonly scale: number;
  /** Floats in the adapter's pool and in the array of `mergeFactors`. */
  readonly factors: number;
  /** Every parameter of the result in the order of its pool. */
  readonly parameters: readonly MergedParameter[];
  /** The matrices A as the adapter's pool has them. */
  readonly downward: readonly AdapterMatrix[];
}

/** The same numbers at the same place, columns as rows. */
const turned = ({ offset, shape: [rows, columns] }: AdapterMatrix): AdapterMatrix => ({
  offset,
  shape: [columns, rows],
});

/** A·B, or its transpose Bᵀ·Aᵀ: either way row by row of the parameter that it is added to. */
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

/** @throws Error where a pool has not the length that it needs. */
export function checkLength(what: string, found: number, needed: number): void {
  if (found === needed) return;
  throw new Error(`${what} holds ${found} numbers; this model and these LoRA settings need ${needed}.`);
}

/**
 * A copy of an adapter's pool (`adapterSpecs`) with the left and right matrices of all products: A turned to [r, in], so that in
 * both what a step of the sum over r reads lies side by side.
 * @throws Error where the pool has another length.
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

/** Copies base weights to where the merged architecture has them. */
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

/** Rows of a part are a multiple of it, but for the last. */
const ROW_STEP = 4;

/** Floats of the smallest part that `rowChunks` may come to. */
export const smallestPart = ({ rows, width }: MergedParameter): number => Math.min(rows, ROW_STEP) * width;

/** Parts of a parameter, whole rows of at most `most` floats, but at least four rows; all but the last a multiple of four. */
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
