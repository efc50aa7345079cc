/**
 * Some of the positions of a batch. After the last attention no position depends on another. So everything behind it (half of the last
 * block, final norm, head) is computed only for positions whose prediction is wanted, and not for prompts and padding.
 */
import { WEBGPU_BACKEND } from '../backend/kernelRegistry.ts';
import * as tf from '../backend/tf.ts';
import { takeRows } from '../kernels/index.ts';

export interface RowSelection {
  /** The position in the batch of each row that goes on [M]. Rows of zeros fill up the end, with −1. */
  readonly rows: tf.Tensor1D;
  /** The row of each position [N]; −1 if it has none. */
  readonly places: tf.Tensor1D;
  /** The same numbers as `rows`, on the host. */
  readonly positions: Int32Array;
}

/** Rows are filled up to a multiple of this: on the GPU so that few buffer sizes ever exist, on wasm to what its products take at a time. */
const ROW_STEP = { webgpu: 64, wasm: 8 } as const;

/** The number of rows for so many wanted positions. */
export function selectedRows(wanted: number, backend: keyof typeof ROW_STEP): number {
  const step = ROW_STEP[backend];
  return Math.ceil(Math.max(1, wanted) / step) * step;
}

/** `wanted` are positions from 0 to `count` − 1, ascending. */
export function selectRows(wanted: Int32Array, count: number): RowSelection {
  const backend = tf.getBackend() === WEBGPU_BACKEND ? 'webgpu' : 'wasm';
  const positions = new Int32Array(selectedRows(wanted.length, backend)).fill(-1);
  positions.set(wanted);
  const places = new Int32Array(count).fill(-1);
  wanted.forEach((position, row) => {
    places[position] = row;
  });
  return { rows: tf.tensor1d(positions, 'int32'), places: tf.tensor1d(places, 'int32'), positions };
}

export function disposeSelection({ rows, places }: RowSelection): void {
  tf.dispose([rows, places]);
}

/** The rows [M, D] of `x` [N, D] that go on; `x` itself without a selection. */
export function pickedRows(x: tf.Tensor, selection: RowSelection | null): tf.Tensor {
  return selection ? takeRows(x, selection.rows) : x;
}

/** The rows of `y` [M, D] at their positions [N, D], with zeros elsewhere; `y` itself without a selection. */
export function spreadRows(y: tf.Tensor, selection: RowSelection | null): tf.Tensor {
  return selection ? takeRows(y, selection.places) : y;
}

const asColumn = (values: tf.Tensor): tf.Tensor2D => tf.reshape(values, [values.size, 1]);

/** `pickedRows` of one value for each position: [N] → [M]. */
export function pickedValues(values: tf.Tensor, selection: RowSelection | null): tf.Tensor {
  return selection ? tf.reshape(takeRows(asColumn(values), selection.rows), [-1]) : values;
}

/** `spreadRows` of one value for each row: [M] → [N]. */
export function spreadValues(values: tf.Tensor1D, selection: RowSelection | null): tf.Tensor1D {
  return selection ? tf.reshape(takeRows(asColumn(values), selection.places), [-1]) : values;
}

/** One whole number for each row [M], of `values` for each position; 0 in rows of zeros. */
export function selectedIntegers(values: Int32Array, selection: RowSelection | null): Int32Array {
  return selection ? selection.positions.map((position) => values[position] ?? 0) : values;
}
