/**
 * Some of the positions of a batch. After the last attention no position depends on another. So everything behind it (half of the last
 * block, final norm, head) is computed only for positions whose prediction is wanted, and not for prompts and padding.
 */
import * as tf from '../backend/tf.ts';
import { takeRows } from '../kernels/index.ts';
import { filledRows } from './rowSteps.ts';
import { copiedRows, summedRows, type SharedRows } from './sharedPrompts.ts';

export interface RowSelection {
  /** The position in the batch of each row that goes on [M]. Rows of zeros fill up the end, with −1. */
  readonly rows: tf.Tensor1D;
  /** The row of each position [N]; −1 if it has none. */
  readonly places: tf.Tensor1D;
  /** The same numbers as `rows`, on the host. */
  readonly positions: Int32Array;
  /** The list that stands for the batch before the last attention; null if it is the batch itself. */
  readonly shared: SharedRows | null;
}

/** `wanted` are positions of the batch from 0 to `count` − 1, ascending. */
export function selectRows(
  wanted: Int32Array,
  count: number,
  shared: SharedRows | null = null,
): RowSelection {
  const positions = filledRows(wanted);
  const places = new Int32Array(count).fill(-1);
  wanted.forEach((position, row) => {
    places[position] = row;
  });
  return { rows: tf.tensor1d(positions, 'int32'), places: tf.tensor1d(places, 'int32'), positions, shared };
}

export function disposeSelection({ rows, places }: RowSelection): void {
  tf.dispose([rows, places]);
}

/** The rows [M, D] that go on of `x` [N, D], or of a list that stands for it; `x` itself without a selection. */
export function pickedRows(x: tf.Tensor, selection: RowSelection | null): tf.Tensor {
  return selection ? takeRows(copiedRows(x, selection.shared), selection.rows) : x;
}

/** The gradient of `pickedRows`: the rows of `y` at their positions, with zeros elsewhere; `y` itself without a selection. */
export function spreadRows(y: tf.Tensor, selection: RowSelection | null): tf.Tensor {
  return selection ? summedRows(takeRows(y, selection.places), selection.shared) : y;
}

const asColumn = (values: tf.Tensor): tf.Tensor2D => tf.reshape(values, [values.size, 1]);

/** One value for each position of the batch, as one for each row that goes on: [N] → [M]. */
export function pickedValues(values: tf.Tensor, selection: RowSelection | null): tf.Tensor {
  return selection ? tf.reshape(takeRows(asColumn(values), selection.rows), [-1]) : values;
}

/** One value for each row, at its position, with zeros elsewhere: [M] → [N]. */
export function spreadValues(values: tf.Tensor1D, selection: RowSelection | null): tf.Tensor1D {
  return selection ? tf.reshape(takeRows(asColumn(values), selection.places), [-1]) : values;
}

/** One whole number for each row [M], of `values` for each position; 0 in rows of zeros. */
export function selectedIntegers(values: Int32Array, selection: RowSelection | null): Int32Array {
  return selection ? selection.positions.map((position) => values[position] ?? 0) : values;
}
