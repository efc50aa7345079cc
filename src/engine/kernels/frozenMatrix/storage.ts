/** Frozen matrices on the running backend, which are made, written and read in pieces of whole rows. Nothing of them stays in JavaScript. */
import { largestBuffer } from '../../backend/bufferGuard.ts';
import { gpuDispatcher } from '../../backend/dispatch.ts';
import { registerOp, runSingle, WEBGPU_BACKEND } from '../../backend/kernelRegistry.ts';
import * as tf from '../../backend/tf.ts';
import { readBytes, writeBytes } from '../shared/tensorBytes.ts';
import { ROW_STEP, type FrozenBlock, type FrozenFormat, type FrozenMatrix } from './frozenMatrix.ts';
import { cutRows, elementsIn, scaleCount, wordBytes, type RowFormats, type RowRange } from './layout.ts';

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
  if (tf.getBackend() !== WEBGPU_BACKEND) return WASM_BLOCK_BYTES;
  return largestBuffer(gpuDispatcher(tf.backend()).device.limits, GPUBufferUsage.STORAGE);
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
      const scales = scaleCount(format, elements);
      return { ...range, words, scales: scales > 0 ? allocate(scales, 'float32') : null };
    });
    return { shape, blocks };
  } catch (error) {
    tf.dispose(made);
    throw error;
  }
}

/** Frees what it holds on the device. */
export function disposeFrozenMatrix({ blocks }: FrozenMatrix): void {
  tf.dispose(blocks.flatMap(({ words, scales }) => (scales ? [words, scales] : [words])));
}

/** A part of a block's words and scales. */
interface Piece {
  readonly block: FrozenBlock;
  /** The ranges of the piece, from the first byte of the words and the first scale of the block on. */
  readonly words: ByteRange;
  readonly scales: ByteRange;
  /** The offsets of the piece among the rows that were asked for. */
  readonly wordsBefore: number;
  readonly scalesBefore: number;
}

interface ByteRange {
  readonly first: number;
  readonly count: number;
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
  const wordsOf = (count: number): number => wordBytes(format, count * columns);
  const scalesOf = (count: number): number => 4 * scaleCount(format, count * columns);
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
    const inBlock = begin - block.firstRow;
    return [
      {
        block,
        words: { first: wordsOf(inBlock), count: wordsOf(end - begin) },
        scales: { first: scalesOf(inBlock), count: scalesOf(end - begin) },
        wordsBefore: wordsOf(begin - firstRow),
        scalesBefore: scalesOf(begin - firstRow),
      },
    ];
  });
}

/**
 * Writes whole rows of one format from `firstRow` on, a multiple of `ROW_STEP`, straight to the device: their words and, for `q8` and
 * `q4`, their scales. @throws Error if the numbers of bytes and scales are not those of whole rows.
 */
export function writeFrozenRows(
  matrix: FrozenMatrix,
  firstRow: number,
  words: Uint8Array,
  scales: Float32Array | null,
): void {
  const [allRows, columns] = matrix.shape;
  const format = formatOfRow(matrix, firstRow);
  const rows = Math.min(Math.floor(elementsIn(format, words.length) / columns), allRows - firstRow);
  const expected = { words: wordBytes(format, rows * columns), scales: scaleCount(format, rows * columns) };
  if (words.length !== expected.words || (scales?.length ?? 0) !== expected.scales) {
    throw new Error(
      `${words.length} bytes and ${scales?.length ?? 0} scales for rows of ${columns} columns in ${format}, from row ${firstRow} ` +
        `of ${allRows} on: ${rows} whole rows have ${expected.words} bytes and ${expected.scales} scales.`,
    );
  }
  const scaleBytes = scales && new Uint8Array(scales.buffer, scales.byteOffset, scales.byteLength);
  for (const piece of piecesOf(matrix, { firstRow, rows }, format)) {
    const { block, wordsBefore, scalesBefore } = piece;
    writeBytes(block.words, piece.words.first, words.subarray(wordsBefore, wordsBefore + piece.words.count));
    if (block.scales && scaleBytes) {
      const bytes = scaleBytes.subarray(scalesBefore, scalesBefore + piece.scales.count);
      writeBytes(block.scales, piece.scales.first, bytes);
    }
  }
}

/** Copies the words and scales of `rows` rows of one format from `firstRow` on, a multiple of `ROW_STEP`. @throws Error if they are not all there. */
export async function readFrozenRows(
  matrix: FrozenMatrix,
  firstRow: number,
  rows: number,
): Promise<{ words: Uint8Array<ArrayBuffer>; scales: Float32Array<ArrayBuffer> | null }> {
  const format = formatOfRow(matrix, firstRow);
  const elements = rows * matrix.shape[1];
  const words = new Uint8Array(wordBytes(format, elements));
  const scaleBytes = new Uint8Array(4 * scaleCount(format, elements));
  for (const piece of piecesOf(matrix, { firstRow, rows }, format)) {
    const { block, wordsBefore, scalesBefore } = piece;
    await readBytes(block.words, piece.words.first, part(words, wordsBefore, piece.words));
    if (block.scales)
      await readBytes(block.scales, piece.scales.first, part(scaleBytes, scalesBefore, piece.scales));
  }
  return { words, scales: scaleBytes.length > 0 ? new Float32Array(scaleBytes.buffer) : null };
}

const part = (bytes: Uint8Array, first: number, { count }: ByteRange): Uint8Array =>
  bytes.subarray(first, first + count);
