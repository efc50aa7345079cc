/** Weights in the words of their files, read piece by piece: those of a large model are never in memory as a whole. */
import { fromBfloat16, fromFloat16, toBfloat16, toFloat16 } from './halfFloats.ts';
import { sizeOf } from './parameters.ts';
import type { TensorData, WeightArrays } from './weights.ts';

export type StoredType = 'F32' | 'F16' | 'BF16';

export const BYTES_PER_ELEMENT: Readonly<Record<StoredType, number>> = { F32: 4, F16: 2, BF16: 2 };

/** The smallest number that rounds to infinity. */
const LARGEST: Readonly<Record<StoredType, number>> = {
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
  sizeOf(shape) * BYTES_PER_ELEMENT[dtype];

/** Yields a tensor's bytes in order, at most `PIECE_BYTES` at a time. */
export async function* piecesOf(tensor: StoredTensor): AsyncGenerator<Uint8Array> {
  const size = storedBytes(tensor);
  for (let begin = 0; begin < size; begin += PIECE_BYTES)
    yield await tensor.read(begin, Math.min(begin + PIECE_BYTES, size));
}

/** Converts bytes of a stored type to f32. 16-bit types are widened, which is exact. */
export function decode(bytes: Uint8Array, dtype: StoredType): Float32Array<ArrayBuffer> {
  // The bytes are copied, because a tensor may begin at any byte and typed arrays want aligned ones. `slice` of Node's Buffer is
  // a view, which would bring the whole file along.
  const { buffer } = new Uint8Array(bytes);
  if (dtype === 'F32') return new Float32Array(buffer);
  const halves = new Uint16Array(buffer);
  return dtype === 'BF16' ? fromBfloat16(halves) : fromFloat16(halves);
}

/** Converts numbers to a stored type. 16-bit types round to nearest, ties to even. F32 is a view. */
export function encode(data: Float32Array, dtype: StoredType): Uint8Array {
  if (dtype === 'F32') return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const halves = dtype === 'BF16' ? toBfloat16(data) : toFloat16(data);
  return new Uint8Array(halves.buffer);
}

/** Reads numbers `begin` … `end` − 1 of a tensor as f32, in memory of their own. */
export async function readNumbers(
  tensor: StoredTensor,
  begin: number,
  end: number,
): Promise<Float32Array<ArrayBuffer>> {
  const bytes = BYTES_PER_ELEMENT[tensor.dtype];
  return decode(await tensor.read(begin * bytes, end * bytes), tensor.dtype);
}

/** A tensor whose numbers `begin` … `end` − 1 are computed when they are read, and then rounded to `dtype`. */
export function calculatedTensor(
  shape: readonly number[],
  dtype: StoredType,
  numbers: (begin: number, end: number) => Promise<Float32Array>,
): StoredTensor {
  const bytes = BYTES_PER_ELEMENT[dtype];
  return {
    shape,
    dtype,
    async read(begin, end) {
      const first = Math.floor(begin / bytes);
      const whole = encode(await numbers(first, Math.ceil(end / bytes)), dtype);
      return whole.subarray(begin - first * bytes, end - first * bytes);
    },
  };
}

/** A tensor in another type. Reading throws a RangeError if the type can't hold a number. */
export function storedAs(name: string, tensor: StoredTensor, dtype: StoredType): StoredTensor {
  if (tensor.dtype === dtype) return tensor;
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
