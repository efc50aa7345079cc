/** Rows of floats on a wasm heap: their first byte, and the bytes from row to row. */
export interface RowsOnHeap {
  readonly floats: Float32Array;
  readonly address: number;
  readonly stride: number;
}

const FLOAT_BYTES = 4;

/** Copies `count` floats from one heap to another. */
export function copyFloats(
  from: Omit<RowsOnHeap, 'stride'>,
  to: Omit<RowsOnHeap, 'stride'>,
  count: number,
): void {
  copyRows({ ...from, stride: 0 }, { ...to, stride: 0 }, 1, count);
}

/** Copies `rows` rows of `count` floats from one heap to another. */
export function copyRows(from: RowsOnHeap, to: RowsOnHeap, rows: number, count: number): void {
  const dense = [from, to].every(({ stride }) => stride === count * FLOAT_BYTES);
  const [pieces, length] = dense ? [1, rows * count] : [rows, count];
  for (let row = 0; row < pieces; row++) {
    const first = (from.address + row * from.stride) / FLOAT_BYTES;
    to.floats.set(from.floats.subarray(first, first + length), (to.address + row * to.stride) / FLOAT_BYTES);
  }
}
