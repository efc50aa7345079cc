/** Weights in the words of their files, read piece by piece: those of a large model are never in memory as a whole. */
import { BLOCK_SHAPES, isBlockFormat, type BlockFormat } from '../kernels/blockFormats/blockFormats.ts';
import { dequantizeBlocks } from '../kernels/blockFormats/dequantize.ts';
import type { QuantizedBlocks } from '../kernels/blockFormats/quantizeBlocks.ts';
import { fromBfloat16, fromFloat16, toBfloat16, toFloat16 } from '../kernels/shared/halfFloats.ts';
import { sizeOf } from './parameters.ts';
import type { TensorData, WeightArrays } from './weights.ts';

/** A type that keeps each number by itself. */
export type NumberType = 'F32' | 'F16' | 'BF16';
/** A type of a file: one of these, or a block format of GGUF under ggml's name. */
export type StoredType = NumberType | Uppercase<BlockFormat>;

/** A type that numbers can be stored as. The other block formats are only read. */
export type WritableType = NumberType | Uppercase<QuantizedBlocks>;

const isNumberType = (dtype: StoredType): dtype is NumberType =>
  dtype === 'F32' || dtype === 'F16' || dtype === 'BF16';

export const BYTES_PER_ELEMENT: Readonly<Record<NumberType, number>> = { F32: 4, F16: 2, BF16: 2 };

/** The block format of a type; null for a type that keeps each number by itself. */
export function blockFormatOf(dtype: StoredType): BlockFormat | null {
  const format = dtype.toLowerCase();
  return isBlockFormat(format) ? format : null;
}

/** The type itself, or F32 for a block format: a type of single numbers that can hold all of its own. */
export const numberTypeOf = (dtype: StoredType): NumberType =>
  dtype === 'F16' || dtype === 'BF16' ? dtype : 'F32';

/** The smallest unit of a type that is read by itself: one number, or a block. */
export function unitOf(dtype: StoredType): { readonly elements: number; readonly bytes: number } {
  if (isNumberType(dtype)) return { elements: 1, bytes: BYTES_PER_ELEMENT[dtype] };
  return BLOCK_SHAPES[dtype.toLowerCase() as BlockFormat];
}

/** The bytes of `elements` numbers, which are whole units. */
export const bytesOfElements = (dtype: StoredType, elements: number): number =>
  (elements / unitOf(dtype).elements) * unitOf(dtype).bytes;

/** The smallest number that rounds to infinity. */
const LARGEST: Readonly<Record<NumberType, number>> = {
  F32: Infinity,
  F16: 65520,
  BF16: (2 - 2 ** -8) * 2 ** 127,
};

export interface StoredTensor {
  readonly shape: readonly number[];
  readonly dtype: StoredType;
  /** Reads bytes `begin` … `end` − 1 of its data. They may be a view of memory that others read, too. */
  read(begin: number, end: number): Promise<Uint8Array>;
  /** Its values, if they are in memory. */
  readonly data?: Float32Array;
}

/** Tensors by Hugging Face's names. */
export type StoredWeights = ReadonlyMap<string, StoredTensor>;

/** The bytes of a tensor that are in memory at a time. */
export const PIECE_BYTES = 16 * 2 ** 20;

export const storedBytes = ({ shape, dtype }: Pick<StoredTensor, 'shape' | 'dtype'>): number =>
  bytesOfElements(dtype, sizeOf(shape));

/** Yields a tensor's bytes in order, in whole units of its type and at most `PIECE_BYTES` at a time. */
export async function* piecesOf(tensor: StoredTensor): AsyncGenerator<Uint8Array> {
  const size = storedBytes(tensor);
  const unit = unitOf(tensor.dtype).bytes;
  const step = Math.floor(PIECE_BYTES / unit) * unit;
  for (let begin = 0; begin < size; begin += step)
    yield await tensor.read(begin, Math.min(begin + step, size));
}

/** Converts whole units of a stored type to f32. 16-bit types are widened, which is exact, and blocks as ggml computes them. */
export function decode(bytes: Uint8Array, dtype: StoredType): Float32Array<ArrayBuffer> {
  const format = blockFormatOf(dtype);
  if (format !== null) return dequantizeBlocks(format, bytes);
  // The bytes are copied, because a tensor may begin at any byte and typed arrays want aligned ones. `slice` of Node's Buffer is
  // a view, which would bring the whole file along.
  const { buffer } = new Uint8Array(bytes);
  if (dtype === 'F32') return new Float32Array(buffer);
  const halves = new Uint16Array(buffer);
  return dtype === 'BF16' ? fromBfloat16(halves) : fromFloat16(halves);
}

/** Converts numbers to a stored type. 16-bit types round to nearest, ties to even. F32 is a view. */
export function encode(data: Float32Array, dtype: NumberType): Uint8Array {
  if (dtype === 'F32') return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const halves = dtype === 'BF16' ? toBfloat16(data) : toFloat16(data);
  return new Uint8Array(halves.buffer);
}

/** Converts numbers, which are whole units, to a stored type, or to blocks by the search that an export waits for. */
async function encodeUnits(data: Float32Array, dtype: WritableType): Promise<Uint8Array> {
  if (isNumberType(dtype)) return encode(data, dtype);
  const { quantizeBlocks } = await import('../kernels/blockFormats/quantizeBlocks.ts');
  return quantizeBlocks(dtype.toLowerCase() as QuantizedBlocks, data);
}

/** Reads numbers `begin` … `end` − 1 of a tensor as f32, in memory of their own. */
export async function readNumbers(
  tensor: StoredTensor,
  begin: number,
  end: number,
): Promise<Float32Array<ArrayBuffer>> {
  const { elements, bytes } = unitOf(tensor.dtype);
  const first = Math.floor(begin / elements);
  const last = Math.ceil(end / elements);
  const values = decode(await tensor.read(first * bytes, last * bytes), tensor.dtype);
  if (elements === 1) return values;
  return values.slice(begin - first * elements, end - first * elements);
}

/** A tensor whose numbers `begin` … `end` − 1 are computed when they are read, and then rounded to `dtype`. Blocks are asked for whole. */
export function calculatedTensor(
  shape: readonly number[],
  dtype: WritableType,
  numbers: (begin: number, end: number) => Promise<Float32Array>,
): StoredTensor {
  const { elements, bytes } = unitOf(dtype);
  return {
    shape,
    dtype,
    async read(begin, end) {
      const first = Math.floor(begin / bytes);
      const last = Math.ceil(end / bytes);
      const whole = await encodeUnits(await numbers(first * elements, last * elements), dtype);
      return whole.subarray(begin - first * bytes, end - first * bytes);
    },
  };
}

/** A tensor in another type. Reading throws a RangeError if the type can't hold a number. */
export function storedAs(name: string, tensor: StoredTensor, dtype: WritableType): StoredTensor {
  if (tensor.dtype === dtype) return tensor;
  if (!isNumberType(dtype))
    return calculatedTensor(tensor.shape, dtype, (begin, end) => readNumbers(tensor, begin, end));
  return calculatedTensor(tensor.shape, dtype, async (begin, end) => {
    const values = await readNumbers(tensor, begin, end);
    const largest = LARGEST[dtype];
    for (const value of values)
      if (!(Math.abs(value) < largest))
        throw new RangeError(
          `${name} holds ${value}, and ${dtype} ends before ${largest}. Store the weights as F32 or BF16.`,
        );
    return values;
  });
}

/** All weights in memory, as f32, for models that are trained whole. */
export async function widened(weights: StoredWeights): Promise<WeightArrays> {
  const arrays = new Map<string, TensorData>();
  for (const [name, tensor] of weights) {
    const { shape, dtype, data } = tensor;
    arrays.set(name, { shape, data: data ?? decode(await tensor.read(0, storedBytes(tensor)), dtype) });
  }
  return arrays;
}

/** Weights in memory, in the form of those of a file. */
export function storedInMemory(arrays: WeightArrays): StoredWeights {
  return new Map(
    [...arrays].map(([name, { shape, data }]): [string, StoredTensor] => {
      const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
      const read: StoredTensor['read'] = (begin, end) => Promise.resolve(bytes.subarray(begin, end));
      return [name, { shape, dtype: 'F32', read, data }];
    }),
  );
}
