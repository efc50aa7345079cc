/** Lists of rows, filled up to a step: on the GPU so that few buffer sizes ever exist, on wasm to what its products take at a time. */
import { backendKind } from '../backend/kernelRegistry.ts';

const ROW_STEP = { webgpu: 64, wasm: 8 } as const;

/** The number of rows for so many wanted positions. */
export function selectedRows(wanted: number, backend: keyof typeof ROW_STEP): number {
  const step = ROW_STEP[backend];
  return Math.ceil(Math.max(1, wanted) / step) * step;
}

/** The rows, and −1 for those that fill up the end. */
export function filledRows(rows: Int32Array): Int32Array {
  const filled = new Int32Array(selectedRows(rows.length, backendKind())).fill(-1);
  filled.set(rows);
  return filled;
}
