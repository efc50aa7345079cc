/** Lists of rows, filled up to a step: on the GPU so that few buffer sizes ever exist, on wasm to what its products take at a time. */
import { WEBGPU_BACKEND } from '../backend/kernelRegistry.ts';
import * as tf from '../backend/tf.ts';

const ROW_STEP = { webgpu: 64, wasm: 8 } as const;

/** The number of rows for so many wanted positions. */
export function selectedRows(wanted: number, backend: keyof typeof ROW_STEP): number {
  const step = ROW_STEP[backend];
  return Math.ceil(Math.max(1, wanted) / step) * step;
}

/** The rows, and −1 for those that fill up the end. */
export function filledRows(rows: Int32Array): Int32Array {
  const backend = tf.getBackend() === WEBGPU_BACKEND ? 'webgpu' : 'wasm';
  const filled = new Int32Array(selectedRows(rows.length, backend)).fill(-1);
  filled.set(rows);
  return filled;
}
