/** Converts the tensors of a model's files to the rows of frozen matrices: chooses the format of each, and makes its words piece by piece. */
import type { BaseFormat } from './baseFormats.ts';
import { toFloat16 } from './halfFloats.ts';
import { ROW_STEP, type FrozenFormat } from '../kernels/frozenMatrix/frozenMatrix.ts';
import { dequantizeRows, quantizeRows } from '../kernels/frozenMatrix/quantize.ts';
import type { ModelConfig } from './config.ts';
import { alignedLength, parameterSpecs, sizeOf, type ParameterSpec } from './parameters.ts';
import {
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

/** The type that all tensors of a matrix have; F32, which can hold all of them, if they differ. */
function storedType({ parts }: Pick<ParameterSpec, 'parts'>, weights: StoredWeights): NumberType {
  const types = new Set(parts.map(({ name }) => numberTypeOf(requiredTensor(weights, name).dtype)));
  const [first = 'F32'] = types;
  return types.size === 1 ? first : 'F32';
}

export function formatOf(name: string, type: NumberType, baseFormat: BaseFormat): FrozenFormat {
  switch (baseFormat) {
    case 'auto':
      return OWN_FORMATS[type];
    case 'f32':
      return 'f32';
    case '16bit':
      return type === 'F32' ? 'f16' : OWN_FORMATS[type];
    case 'q8':
      return 'q8';
    case 'q4':
      return TABLES.includes(name) ? 'q8' : 'q4';
  }
}

/** The format of every matrix by its name. @throws Error if a tensor is missing. */
export function formatsOf(
  config: ModelConfig,
  weights: StoredWeights,
  baseFormat: BaseFormat,
): Record<string, FrozenFormat> {
  const matrices = parameterSpecs(config).filter(isMatrix);
  return Object.fromEntries(
    matrices.map((spec) => [spec.name, formatOf(spec.name, storedType(spec, weights), baseFormat)]),
  );
}

/** The rows of a piece: whole words and groups, and few enough bytes. */
export const rowsOfPiece = (columns: number): number =>
  Math.max(1, Math.floor(PIECE_BYTES / (columns * 4 * ROW_STEP))) * ROW_STEP;

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
  readonly scales: Float32Array<ArrayBuffer> | null;
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
  format: FrozenFormat,
): AsyncGenerator<RowPiece> {
  const tensors = spec.parts.map(({ name }) => requiredTensor(weights, name));
  const columns = tensors[0]?.shape[1] ?? 0;
  const rows = tensors.reduce((sum, { shape }) => sum + (shape[0] ?? 0), 0);
  const type = storedType(spec, weights);
  const count = rowsOfPiece(columns);
  for (let firstRow = 0; firstRow < rows; firstRow += count) {
    const stored = await readRows(tensors, columns, firstRow, Math.min(count, rows - firstRow), type);
    yield { firstRow, bytesRead: stored.length, ...wordsIn(format, stored, type, spec.name) };
  }
}

/** Reads rows of tensors that follow one another, in one type. */
async function readRows(
  tensors: readonly StoredTensor[],
  columns: number,
  firstRow: number,
  rows: number,
  type: NumberType,
): Promise<Uint8Array<ArrayBuffer>> {
  const rowBytes = bytesOfElements(type, columns);
  const bytes = new Uint8Array(rows * rowBytes);
  let before = 0;
  for (const tensor of tensors) {
    const count = tensor.shape[0] ?? 0;
    const from = Math.max(firstRow, before);
    const to = Math.min(firstRow + rows, before + count);
    if (from < to) {
      const ownRow = bytesOfElements(tensor.dtype, columns);
      const read = await tensor.read((from - before) * ownRow, (to - before) * ownRow);
      bytes.set(inType(read, tensor.dtype, type), (from - firstRow) * rowBytes);
    }
    before += count;
  }
  return bytes;
}

function inType(bytes: Uint8Array, from: StoredType, to: NumberType): Uint8Array {
  if (from === to) return bytes;
  const { buffer, byteOffset, byteLength } = decode(bytes, from);
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function wordsIn(
  format: FrozenFormat,
  stored: Uint8Array<ArrayBuffer>,
  type: NumberType,
  name: string,
): Pick<RowPiece, 'words' | 'scales'> {
  if (OWN_FORMATS[type] === format) return { words: stored, scales: null };
  const values = decode(stored, type);
  if (format === 'q8' || format === 'q4') return quantizeRows(format, values);
  if (format === 'f32') return { words: new Uint8Array(values.buffer), scales: null };
  const halves = toFloat16(values);
  const beyond = halves.findIndex((half) => (half & 0x7c00) === 0x7c00);
  if (beyond >= 0)
    throw new Error(
      `${name} holds ${values[beyond]}; 16 bit reach to ±65,504. Set the format of the base to auto or f32.`,
    );
  return { words: new Uint8Array(halves.buffer), scales: null };
}

/** The numbers that words of a format encode. */
export function valuesOf(
  format: FrozenFormat,
  words: Uint8Array<ArrayBuffer>,
  scales: Float32Array | null,
): Float32Array {
  if (format === 'q8' || format === 'q4')
    return dequantizeRows(format, { words, scales: scales ?? new Float32Array() });
  return decode(words, format === 'f32' ? 'F32' : format === 'f16' ? 'F16' : 'BF16');
}
