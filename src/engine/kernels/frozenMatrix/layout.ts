/** The bytes of a frozen matrix, and the division of its rows into blocks. It computes with numbers alone, so that planners can use it too. */
import { BLOCK_SHAPES, isBlockFormat } from '../blockFormats/blockFormats.ts';
import type { FrozenFormat } from './frozenMatrix.ts';

const BITS = { f32: 32, f16: 16, bf16: 16, q8: 8, q4: 4 } as const;

/** The number of elements that share a scale. */
export const GROUP_SIZES = { q8: 32, q4: 64 } as const;

/**
 * Blocks begin at multiples of this many rows. In `nt` a row is a column of the product, and WebGPU binds parts that begin at a multiple
 * of 64 floats.
 */
export const BLOCK_STEP = 64;

/** Some rows of a matrix, one after the other, in one format. */
export interface RowFormat {
  readonly rows: number;
  readonly format: FrozenFormat;
}

/** The formats of all rows of a matrix, in order. Each but the last is for a multiple of `BLOCK_STEP` rows. */
export type RowFormats = readonly RowFormat[];

/** The bytes of `elements` elements, which are whole blocks in a block format, as whole words of four bytes. */
export function wordBytes(format: FrozenFormat, elements: number): number {
  const bytes = isBlockFormat(format)
    ? (elements / BLOCK_SHAPES[format].elements) * BLOCK_SHAPES[format].bytes
    : (elements * BITS[format]) / 8;
  return Math.ceil(bytes / 4) * 4;
}

/** The number of elements in so many bytes; of a block format those of whole blocks. */
export function elementsIn(format: FrozenFormat, bytes: number): number {
  if (!isBlockFormat(format)) return (bytes * 8) / BITS[format];
  return Math.floor(bytes / BLOCK_SHAPES[format].bytes) * BLOCK_SHAPES[format].elements;
}

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

/** Rows of one format. */
export interface FormattedRows extends RowRange, RowFormat {}

/** The rows of each format. @throws Error if they are not all rows of a matrix, or if others than the last are no multiple of 64. */
export function formattedRows(
  [rows, columns]: readonly [number, number],
  formats: RowFormats,
): FormattedRows[] {
  let firstRow = 0;
  const found = formats.map((part): FormattedRows => {
    const range = { firstRow, ...part };
    firstRow += part.rows;
    return range;
  });
  if (firstRow !== rows || found.some((part) => part.firstRow % BLOCK_STEP !== 0)) {
    throw new Error(
      `A frozen matrix of [${rows}, ${columns}] with formats for ${formats.map((part) => part.rows).join(' + ')} rows: ` +
        `they must be all of its rows, and each but the last a multiple of ${BLOCK_STEP}.`,
    );
  }
  return found;
}

/**
 * The rows in blocks of one format and at most `maxBytes` of words. @throws Error if the columns are no multiple of four or no whole
 * blocks, or if 64 rows are larger than that.
 */
export function cutRows(
  shape: readonly [number, number],
  formats: RowFormats,
  maxBytes: number,
): FormattedRows[] {
  return formattedRows(shape, formats).flatMap((part) => cutPart(shape, part, maxBytes));
}

function cutPart(
  [allRows, columns]: readonly [number, number],
  { firstRow, rows, format }: FormattedRows,
  maxBytes: number,
): FormattedRows[] {
  const unit = isBlockFormat(format) ? BLOCK_SHAPES[format].elements : 4;
  if (columns % unit !== 0) {
    throw new Error(
      `A frozen matrix of [${allRows}, ${columns}] in ${format}: its columns must be a multiple of ${unit}.`,
    );
  }
  const smallest = wordBytes(format, Math.min(rows, BLOCK_STEP) * columns);
  if (smallest > maxBytes) {
    throw new Error(
      `${Math.min(rows, BLOCK_STEP)} rows of a matrix [${allRows}, ${columns}] in ${format} take ${smallest} bytes; ` +
        `this device takes at most ${maxBytes} in one buffer. Choose a smaller model or a format of fewer bits.`,
    );
  }
  const size = Math.floor(maxBytes / wordBytes(format, BLOCK_STEP * columns)) * BLOCK_STEP || rows;
  return Array.from({ length: Math.ceil(rows / size) }, (_, i) => ({
    firstRow: firstRow + i * size,
    rows: Math.min(size, rows - i * size),
    format,
  }));
}
