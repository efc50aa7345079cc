/** The bytes of a frozen matrix, and the division of its rows into blocks. It computes with numbers alone, so that planners can use it too. */
import type { FrozenFormat } from './frozenMatrix.ts';

const BITS: Readonly<Record<FrozenFormat, number>> = { f32: 32, f16: 16, bf16: 16, q8: 8, q4: 4 };

/** The number of elements that share a scale. */
export const GROUP_SIZES = { q8: 32, q4: 64 } as const;

/**
 * Blocks begin at multiples of this many rows. In `nt` a row is a column of the product, and WebGPU binds parts that begin at a multiple
 * of 64 floats.
 */
export const BLOCK_STEP = 64;

/** The bytes of `elements` elements, as whole words of four bytes. */
export const wordBytes = (format: FrozenFormat, elements: number): number =>
  Math.ceil((elements * BITS[format]) / 32) * 4;

/** The number of elements in so many bytes. */
export const elementsIn = (format: FrozenFormat, bytes: number): number => (bytes * 8) / BITS[format];

/** The number of scales of `elements` elements: 0 if the format has none. */
export function scaleCount(format: FrozenFormat, elements: number): number {
  return format === 'q8' || format === 'q4' ? Math.ceil(elements / GROUP_SIZES[format]) : 0;
}

/** The bytes of words and scales on the device. */
export function frozenBytes([rows, columns]: readonly [number, number], format: FrozenFormat): number {
  return wordBytes(format, rows * columns) + 4 * scaleCount(format, rows * columns);
}

export interface RowRange {
  readonly firstRow: number;
  readonly rows: number;
}

/** The rows in blocks of at most `maxBytes` of words. @throws Error if the columns are no multiple of four, or if 64 rows are larger than that. */
export function cutRows(
  [rows, columns]: readonly [number, number],
  format: FrozenFormat,
  maxBytes: number,
): RowRange[] {
  if (columns % 4 !== 0) {
    throw new Error(`A frozen matrix of [${rows}, ${columns}]: its columns must be a multiple of four.`);
  }
  const smallest = wordBytes(format, Math.min(rows, BLOCK_STEP) * columns);
  if (smallest > maxBytes) {
    throw new Error(
      `${Math.min(rows, BLOCK_STEP)} rows of a matrix [${rows}, ${columns}] in ${format} take ${smallest} bytes; ` +
        `this device takes at most ${maxBytes} in one buffer. Choose a smaller model or a format of fewer bits.`,
    );
  }
  const size = Math.floor(maxBytes / wordBytes(format, BLOCK_STEP * columns)) * BLOCK_STEP || rows;
  return Array.from({ length: Math.ceil(rows / size) }, (_, i) => ({
    firstRow: i * size,
    rows: Math.min(size, rows - i * size),
  }));
}
