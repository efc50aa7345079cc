/** Merges base weights and an adapter into weights that need no adapter, W' = W + (α / r)·A·B, on the running backend in f32. */
import * as tf from '../backend/tf.ts';
import { mergeColumns } from '../kernels/index.ts';
import type { AdapterMatrix } from './lora.ts';
import { rowChunks, type MergePlan } from './mergePlan.ts';
import type { ParameterPool } from './weights.ts';

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
