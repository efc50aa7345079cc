/** Converts the tensors of a model's files to the rows of frozen matrices: chooses the format of each, and makes its words piece by piece. */
import type { BaseFormat } from './baseFormats.ts';
import { toFloat16 } from '../kernels/shared/halfFloats.ts';
import { ROW_STEP, type FrozenFormat } from '../kernels/frozenMatrix/frozenMatrix.ts';
import { BLOCK_SHAPES, isBlockFormat } from '../kernels/blockFormats/blockFormats.ts';
import { dequantizeBlocks } from '../kernels/blockFormats/dequantize.ts';
import {
  BLOCK_STEP,
  formattedRows,
  wordBytes,
  type FormattedRows,
  type RowFormats,
} from '../kernels/frozenMatrix/layout.ts';
import { absmaxBlocks } from '../kernels/blockFormats/absmax.ts';
import type { ModelConfig } from './config.ts';
import { alignedLength, matrixShape, parameterSpecs, sizeOf, type ParameterSpec } from './parameters.ts';
import {
  blockFormatOf,
  bytesOfElements,
  decode,
  PIECE_BYTES,
  storedBytes,
  numberTypeOf,
  type NumberType,
  type StoredTensor,
  type StoredType,
  type StoredWeights,
} from './storedWeights.ts';
import { requiredTensor } from './weights.ts';
import { EMBEDDING, HEAD } from './weightNames.ts';

const OWN_FORMATS: Readonly<Record<NumberType, FrozenFormat>> = { F32: 'f32', F16: 'f16', BF16: 'bf16' };
const TABLES: readonly string[] = [EMBEDDING, HEAD];

export const isMatrix = ({ shape }: Pick<ParameterSpec, 'shape'>): boolean => shape.length === 2;

/** The format that keeps a file's own words. */
const ownFormat = (type: StoredType): FrozenFormat => blockFormatOf(type) ?? OWN_FORMATS[numberTypeOf(type)];

/** The blocks in which rows of so many columns are quantized; null if they are no whole blocks. */
function blocksFor(name: string, columns: number, baseFormat: 'q8' | 'q4'): 'q8_0' | 'q4_1' | null {
  if (columns % BLOCK_SHAPES.q8_0.elements !== 0) return null;
  return baseFormat === 'q8' || TABLES.includes(name) ? 'q8_0' : 'q4_1';
}

function formatOf(name: string, columns: number, type: StoredType, baseFormat: BaseFormat): FrozenFormat {
  switch (baseFormat) {
    case 'auto':
      return ownFormat(type);
    case 'f32':
      return 'f32';
    case '16bit':
      return numberTypeOf(type) === 'F32' ? 'f16' : ownFormat(type);
    case 'q8':
    case 'q4':
      return blocksFor(name, columns, baseFormat) ?? formatOf(name, columns, type, '16bit');
  }
}

/**
 * The formats of a matrix's rows. Tensors of different types keep their own, if they begin at rows at which a block may begin; else the
 * whole matrix is as tensors of F32 are, which can hold all numbers.
 */
export function rowFormats(
  { name, parts }: ParameterSpec,
  typeOf: (tensor: string) => StoredType,
  base: BaseFormat,
): RowFormats {
  const found: { rows: number; readonly format: FrozenFormat }[] = [];
  for (const part of parts) {
    const [rows = 0, columns = 0] = part.shape;
    const format = formatOf(name, columns, typeOf(part.name), base);
    const last = found.at(-1);
    if (last?.format === format) last.rows += rows;
    else found.push({ rows, format });
  }
  if (found.slice(0, -1).every(({ rows }) => rows % BLOCK_STEP === 0)) return found;
  const rows = found.reduce((sum, part) => sum + part.rows, 0);
  return [{ rows, format: formatOf(name, parts[0]?.shape[1] ?? 0, 'F32', base) }];
}

/** The formats of every matrix by its name. @throws Error if a tensor is missing. */
export function formatsOf(
  config: ModelConfig,
  weights: StoredWeights,
  baseFormat: BaseFormat,
): Record<string, RowFormats> {
  const typeOf = (name: string): StoredType => requiredTensor(weights, name).dtype;
  const matrices = parameterSpecs(config).filter(isMatrix);
  return Object.fromEntries(matrices.map((spec) => [spec.name, rowFormats(spec, typeOf, baseFormat)]));
}

/** The rows of each piece of a matrix, in order: of one format, whole words and groups, and few enough bytes. */
export function pieceRows(shape: readonly [number, number], formats: RowFormats): FormattedRows[] {
  const step = Math.max(1, Math.floor(PIECE_BYTES / (shape[1] * 4 * ROW_STEP))) * ROW_STEP;
  return formattedRows(shape, formats).flatMap(({ firstRow, rows, format }) =>
    Array.from({ length: Math.ceil(rows / step) }, (_, i) => ({
      firstRow: firstRow + i * step,
      rows: Math.min(step, rows - i * step),
      format,
    })),
  );
}

/** Norms and biases in their pool, and its length. */
export interface VectorLayout {
  readonly places: readonly ParameterSpec[];
  /** The offset of the first vector among all parameters. */
  readonly first: number;
  readonly length: number;
}

export function vectorLayout(config: ModelConfig): VectorLayout {
  const places = parameterSpecs(config).filter((spec) => !isMatrix(spec));
  const first = places[0]?.offset ?? 0;
  const last = places.at(-1);
  return { places, first, length: last ? last.offset - first + alignedLength(sizeOf(last.shape)) : 0 };
}

/** The pool of a model's norms and biases. @throws Error if a tensor is missing. */
export async function vectorValues(
  config: ModelConfig,
  weights: StoredWeights,
): Promise<Float32Array<ArrayBuffer>> {
  const { places, first, length } = vectorLayout(config);
  const values = new Float32Array(length);
  for (const { offset, parts } of places)
    for (const { name, column } of parts) {
      const tensor = requiredTensor(weights, name);
      const read = await tensor.read(0, storedBytes(tensor));
      values.set(decode(read, tensor.dtype), offset - first + column);
    }
  return values;
}

export interface RowPiece {
  readonly firstRow: number;
  readonly words: Uint8Array<ArrayBuffer>;
  readonly bytesRead: number;
}

/**
 * Yields the rows of a matrix in order, a piece at a time: its tensors, [out, in] each, one after the other.
 *
 * @throws Error if a number is too large for the format.
 */
export async function* rowPieces(
  spec: ParameterSpec,
  weights: StoredWeights,
  formats: RowFormats,
): AsyncGenerator<RowPiece> {
  const tensors = spec.parts.map(({ name }) => requiredTensor(weights, name));
  const shape = matrixShape(spec);
  for (const { firstRow, rows, format } of pieceRows(shape, formats)) {
    const stored = await readRows(tensors, shape[1], firstRow, rows);
    const bytesRead = stored.reduce((sum, { bytes }) => sum + bytes.length, 0);
    yield { firstRow, bytesRead, words: await wordsIn(format, stored, rows * shape[1], spec.name) };
  }
}

/** Rows of one tensor as they are stored. */
interface StoredRows {
  readonly dtype: StoredType;
  readonly bytes: Uint8Array;
}

/** Reads rows of tensors that follow one another. */
async function readRows(
  tensors: readonly StoredTensor[],
  columns: number,
  firstRow: number,
  rows: number,
): Promise<StoredRows[]> {
  const found: StoredRows[] = [];
  let before = 0;
  for (const tensor of tensors) {
    const { shape, dtype } = tensor;
    const from = Math.max(firstRow, before);
    const to = Math.min(firstRow + rows, before + (shape[0] ?? 0));
    const rowBytes = bytesOfElements(dtype, columns);
    if (from < to)
      found.push({ dtype, bytes: await tensor.read((from - before) * rowBytes, (to - before) * rowBytes) });
    before += shape[0] ?? 0;
  }
  return found;
}

async function wordsIn(
  format: FrozenFormat,
  stored: readonly StoredRows[],
  elements: number,
  name: string,
): Promise<Uint8Array<ArrayBuffer>> {
  if (stored.every(({ dtype }) => ownFormat(dtype) === format))
    return joined(
      stored.map(({ bytes }) => bytes),
      wordBytes(format, elements),
    );
  const values = new Float32Array(elements);
  let at = 0;
  for (const { bytes, dtype } of stored) {
    const numbers = decode(bytes, dtype);
    values.set(numbers, at);
    at += numbers.length;
  }
  if (format === 'q8_0') return joined([absmaxBlocks(values)], wordBytes(format, elements));
  if (format === 'q4_1') {
    const { quantizeBlocks } = await import('../kernels/blockFormats/quantizeBlocks.ts');
    return joined([quantizeBlocks(format, values)], wordBytes(format, elements));
  }
  if (format === 'f32') return new Uint8Array(values.buffer);
  const halves = toFloat16(values);
  const beyond = halves.findIndex((half) => (half & 0x7c00) === 0x7c00);
  if (beyond >= 0)
    throw new Error(
      `${name} holds ${values[beyond]}; 16 bit reach to ±65,504. Set the format of the base to auto or f32.`,
    );
  return new Uint8Array(halves.buffer);
}

/** Parts one after the other, and zeros up to `length`. */
function joined(parts: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const words = new Uint8Array(length);
  let at = 0;
  for (const bytes of parts) {
    words.set(bytes, at);
    at += bytes.length;
  }
  return words;
}

/** The numbers that words of a format encode. */
export function valuesOf(format: FrozenFormat, words: Uint8Array<ArrayBuffer>): Float32Array {
  if (isBlockFormat(format)) {
    // Half a word may be left behind the last block.
    const { bytes } = BLOCK_SHAPES[format];
    return dequantizeBlocks(format, words.subarray(0, words.length - (words.length % bytes)));
  }
  return decode(words, format === 'f32' ? 'F32' : format === 'f16' ? 'F16' : 'BF16');
}
