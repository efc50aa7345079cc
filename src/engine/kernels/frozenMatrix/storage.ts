/** Frozen matrices on the running backend, which are made, written and read in pieces of whole rows. Nothing of them stays in JavaScript. */
import { kernelLimits } from '../../backend/adapterFacts.ts';
import { largestBuffer } from '../../backend/bufferGuard.ts';
import { gpuDispatcher } from '../../backend/dispatch.ts';
import { hostMemory } from '../../backend/host.ts';
import { placeElsewhere, type SharedHeap } from '../../backend/sharedHeap.ts';
import { backendKind, registerOp, runSingle } from '../../backend/kernelRegistry.ts';
import * as tf from '../../backend/tf.ts';
import { readBytes, writeBytes } from '../shared/tensorBytes.ts';
import { ROW_STEP, type FrozenBlock, type FrozenFormat, type FrozenMatrix } from './frozenMatrix.ts';
import {
  cutRows,
  elementsIn,
  wordBytes,
  type FormattedRows,
  type RowFormats,
  type RowRange,
} from './layout.ts';

/** The label of the buffers of frozen matrices. */
const FROZEN_LABEL = 'frozen matrix';

interface AllocateAttributes {
  readonly length: number;
  readonly dtype: 'float32' | 'int32';
}

registerOp<AllocateAttributes>({
  name: 'RlAllocate',
  wasm: (memory, _inputs, { length, dtype }) => [memory.allocate([length], dtype)],
  webgpu: (gpu, _inputs, { length, dtype }) => [gpu.allocate([length], dtype, FROZEN_LABEL)],
});

/** The bytes of a block on the wasm heap: a hole of that size can be found long after larger ones are gone. */
const WASM_BLOCK_BYTES = 512 * 2 ** 20;

function largestBlock(): number {
  if (backendKind() === 'wasm') return WASM_BLOCK_BYTES;
  return largestBuffer(kernelLimits(gpuDispatcher(tf.backend()).device), GPUBufferUsage.STORAGE);
}

/**
 * A matrix [rows, columns] with undefined contents, in one format or in one for each of several ranges of rows, in blocks of at most
 * `blockBytes` of words: by default as many as the device binds. It must be freed by `disposeFrozenMatrix`. @throws Error if the columns
 * or rows do not fit the formats, the device binds fewer bytes than 64 rows, or its memory is full.
 */
export function allocateFrozenMatrix(
  shape: readonly [rows: number, columns: number],
  formats: FrozenFormat | RowFormats,
  blockBytes = largestBlock(),
): FrozenMatrix {
  const made: tf.Tensor[] = [];
  const allocate = (length: number, dtype: 'float32' | 'int32'): tf.Tensor => {
    const tensor = tf.keep(runSingle('RlAllocate', {}, { length, dtype }));
    made.push(tensor);
    return tensor;
  };
  try {
    const parts = typeof formats === 'string' ? [{ rows: shape[0], format: formats }] : formats;
    const blocks = cutRows(shape, parts, blockBytes).map((range): FrozenBlock => {
      const { format } = range;
      const elements = range.rows * shape[1];
      const words = allocate(wordBytes(format, elements) / 4, format === 'f32' ? 'float32' : 'int32');
      return { ...range, words };
    });
    return { shape, blocks };
  } catch (error) {
    tf.dispose(made);
    throw error;
  }
}

/** A block of a matrix on a wasm heap. */
export interface BlockPlace extends FormattedRows {
  /** The address of its first byte. */
  readonly address: number;
}

/** The places of a matrix's blocks on this thread's wasm heap. */
export const blockPlaces = ({ blocks }: FrozenMatrix): BlockPlace[] =>
  blocks.map(({ words, ...rows }) => ({ ...rows, address: hostMemory(tf.backend()).pointer(words) }));

/** A matrix that lies on another thread's heap and can be looked up and multiplied there. It must be freed by `disposeFrozenMatrix`. */
export function frozenMatrixElsewhere(
  shape: readonly [rows: number, columns: number],
  blocks: readonly BlockPlace[],
  heap: SharedHeap,
): FrozenMatrix {
  return {
    shape,
    blocks: blocks.map(({ address, ...rows }) => {
      const words = tf.keep(runSingle('RlAllocate', {}, { length: 1, dtype: 'int32' }));
      placeElsewhere(words, { heap, address });
      return { ...rows, words };
    }),
  };
}

/** Frees what it holds on the device. */
export function disposeFrozenMatrix({ blocks }: FrozenMatrix): void {
  tf.dispose(blocks.map(({ words }) => words));
}

/** A part of a block's words, in bytes. */
interface Piece {
  readonly block: FrozenBlock;
  readonly first: number;
  readonly count: number;
  /** The bytes of the rows before it that were asked for, too. */
  readonly before: number;
}

/** The format of one row. @throws Error if there is no such row. */
export function formatOfRow({ shape, blocks }: FrozenMatrix, row: number): FrozenFormat {
  const block = blocks.find(({ firstRow, rows }) => row >= firstRow && row < firstRow + rows);
  if (!block) throw new Error(`Row ${row} of a frozen matrix [${shape.join(', ')}]: there is no such row.`);
  return block.format;
}

/**
 * Divides rows of one format among the blocks. @throws Error if they do not begin at a multiple of `ROW_STEP`, are not all there or have
 * several formats.
 */
function piecesOf(
  { shape, blocks }: FrozenMatrix,
  { firstRow, rows }: RowRange,
  format: FrozenFormat,
): Piece[] {
  const [allRows, columns] = shape;
  if (firstRow % ROW_STEP !== 0 || firstRow < 0 || rows < 1 || firstRow + rows > allRows) {
    throw new Error(
      `Rows ${firstRow} to ${firstRow + rows - 1} of a frozen matrix of ${allRows}: they must be among its own and begin at a ` +
        `multiple of ${ROW_STEP}.`,
    );
  }
  const bytesOf = (count: number): number => wordBytes(format, count * columns);
  return blocks.flatMap((block): Piece[] => {
    const begin = Math.max(firstRow, block.firstRow);
    const end = Math.min(firstRow + rows, block.firstRow + block.rows);
    if (begin >= end) return [];
    if (block.format !== format) {
      throw new Error(
        `Rows ${firstRow} to ${firstRow + rows - 1} of a frozen matrix are in ${format} and ${block.format}: take those of each ` +
          'format by themselves.',
      );
    }
    const first = bytesOf(begin - block.firstRow);
    return [{ block, first, count: bytesOf(end - begin), before: bytesOf(begin - firstRow) }];
  });
}

/**
 * Writes whole rows of one format from `firstRow` on, a multiple of `ROW_STEP`, straight to the device. @throws Error if the number of
 * bytes is not that of whole rows.
 */
export function writeFrozenRows(matrix: FrozenMatrix, firstRow: number, words: Uint8Array): void {
  const [allRows, columns] = matrix.shape;
  const format = formatOfRow(matrix, firstRow);
  const rows = Math.min(Math.floor(elementsIn(format, words.length) / columns), allRows - firstRow);
  const expected = wordBytes(format, rows * columns);
  if (words.length !== expected) {
    throw new Error(
      `${words.length} bytes for rows of ${columns} columns in ${format}, from row ${firstRow} of ${allRows} on: ` +
        `${rows} whole rows have ${expected} bytes.`,
    );
  }
  for (const { block, first, count, before } of piecesOf(matrix, { firstRow, rows }, format))
    writeBytes(block.words, first, words.subarray(before, before + count));
}

/** Copies the words of `rows` rows of one format from `firstRow` on, a multiple of `ROW_STEP`. @throws Error if they are not all there. */
export async function readFrozenRows(
  matrix: FrozenMatrix,
  firstRow: number,
  rows: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const format = formatOfRow(matrix, firstRow);
  const words = new Uint8Array(wordBytes(format, rows * matrix.shape[1]));
  for (const { block, first, count, before } of piecesOf(matrix, { firstRow, rows }, format))
    await readBytes(block.words, first, words.subarray(before, before + count));
  return words;
}
