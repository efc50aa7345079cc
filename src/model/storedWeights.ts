/** Weights in the words of the files that they are in, read piece by piece: those of a large model are never in memory as a whole. */
import { fromBfloat16, fromFloat16 } from '../base/halfFloats.ts';
import { sizeOf } from './parameters.ts';
import type { TensorData, WeightArrays } from './weights.ts';

export type StoredType = 'F32' | 'F16' | 'BF16';

export const BYTES_PER_ELEMENT: Readonly<Record<StoredType, number>> = { F32: 4, F16: 2, BF16: 2 };

/** A tensor of a file. */
export interface StoredTensor {
  readonly shape: readonly number[];
  readonly dtype: StoredType;
  /** Bytes `begin` … `end` − 1 of its data; they may be a view of what others read, too. */
  read(begin: number, end: number): Promise<Uint8Array>;
  /** Its values, where they are in memory. */
  readonly data?: Float32Array;
}

/** Tensors by Hugging Face's names. */
export type StoredWeights = ReadonlyMap<string, StoredTensor>;

/** Bytes of a tensor that are in memory at a time. */
export const PIECE_BYTES = 16 * 2 ** 20;

export const storedBytes = ({ shape, dtype }: Pick<StoredTensor, 'shape' | 'dtype'>): number =>
  sizeOf(shape) * BYTES_PER_ELEMENT[dtype];

/** A tensor's bytes in order, at most `PIECE_BYTES` at a time. */
export async function* piecesOf(tensor: StoredTensor): AsyncGenerator<Uint8Array> {
  const size = storedBytes(tensor);
  for (let begin = 0; begin < size; begin += PIECE_BYTES)
    yield await tensor.read(begin, Math.min(begin + PIECE_BYTES, size));
}

/** Bytes of a stored type as f32; 16-bit types are widened, which is exact. */
export function decode(bytes: Uint8Array, dtype: StoredType): Float32Array<ArrayBuffer> {
  // A copy, because a tensor may begin at any byte and typed arrays want aligned ones. Not `slice`: that of Node's Buffer is
  // a view, which would bring the whole file along.
  const { buffer } = new Uint8Array(bytes);
  if (dtype === 'F32') return new Float32Array(buffer);
  const halves = new Uint16Array(buffer);
  return dtype === 'BF16' ? fromBfloat16(halves) : fromFloat16(halves);
}

/** All of the weights in memory, as f32: for models that are trained whole. */
export async function widened(weights: StoredWeights): Promise<WeightArrays> {
  const arrays = new Map<string, TensorData>();
  for (const [name, tensor] of weights) {
    const { shape, dtype, data } = tensor;
    arrays.set(name, { shape, data: data ?? decode(await tensor.read(0, storedBytes(tensor)), dtype) });
  }
  return arrays;
}

/** Weights that are in memory, as those of a file. */
export function storedInMemory(arrays: WeightArrays): StoredWeights {
  return new Map(
    [...arrays].map(([name, { shape, data }]): [string, StoredTensor] => {
      const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
      const read: StoredTensor['read'] = (begin, end) => Promise.resolve(bytes.subarray(begin, end));
      return [name, { shape, dtype: 'F32', read, data }];
    }),
  );
}
