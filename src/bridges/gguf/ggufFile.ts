/**
 * The GGUF container, version 3 (ggml's docs/gguf.md): metadata by key, then the list of tensors, then their data. Its parts are read when it
 * is read.
 */
import {
  BYTES_PER_ELEMENT,
  storedBytes,
  type StoredTensor,
  type StoredType,
  joined,
  openBytes,
  type OpenFile,
} from '@rl-playground/engine/parts';

/** A value of the metadata with its type. */
export type GgufValue =
  | { readonly uint32: number }
  | { readonly float32: number }
  | { readonly bool: boolean }
  | { readonly text: string }
  | { readonly texts: readonly string[] }
  | { readonly int32s: readonly number[] }
  | { readonly float32s: readonly number[] };

const VERSION = 3;
const UINT32 = 4;
const INT32 = 5;
const FLOAT32 = 6;
const BOOL = 7;
const TEXT = 8;
const ARRAY = 9;

const TENSOR_TYPES: Readonly<Record<StoredType, number>> = { F32: 0, F16: 1, BF16: 30 };

/** Tensors begin at multiples of so many bytes, the format's default. */
const ALIGNMENT = 32;
const gapBehind = (size: number): number => (ALIGNMENT - (size % ALIGNMENT)) % ALIGNMENT;

/** Puts numbers and texts one behind the other, little-endian. */
class Bytes {
  readonly #parts: Uint8Array[] = [];
  readonly #encoder = new TextEncoder();

  #number(length: number, set: (view: DataView) => void): this {
    const bytes = new Uint8Array(length);
    set(new DataView(bytes.buffer));
    this.#parts.push(bytes);
    return this;
  }

  uint32(value: number): this {
    return this.#number(4, (view) => view.setUint32(0, value, true));
  }

  uint64(value: number): this {
    return this.#number(8, (view) => view.setBigUint64(0, BigInt(value), true));
  }

  text(value: string): this {
    const bytes = this.#encoder.encode(value);
    this.uint64(bytes.byteLength).#parts.push(bytes);
    return this;
  }

  value(value: GgufValue): this {
    if ('uint32' in value) return this.uint32(UINT32).uint32(value.uint32);
    if ('float32' in value)
      return this.uint32(FLOAT32).#number(4, (view) => view.setFloat32(0, value.float32, true));
    if ('bool' in value) return this.uint32(BOOL).#number(1, (view) => view.setUint8(0, value.bool ? 1 : 0));
    if ('text' in value) return this.uint32(TEXT).text(value.text);
    if ('texts' in value) return this.#array(TEXT, value.texts, (each) => this.text(each));
    if ('int32s' in value)
      return this.#array(INT32, value.int32s, (each) =>
        this.#number(4, (view) => view.setInt32(0, each, true)),
      );
    return this.#array(FLOAT32, value.float32s, (each) =>
      this.#number(4, (view) => view.setFloat32(0, each, true)),
    );
  }

  #array<Each>(type: number, values: readonly Each[], write: (each: Each) => void): this {
    this.uint32(ARRAY).uint32(type).uint64(values.length);
    values.forEach(write);
    return this;
  }

  joined(): Uint8Array {
    const whole = new Uint8Array(this.#parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
    let at = 0;
    for (const part of this.#parts) {
      whole.set(part, at);
      at += part.byteLength;
    }
    return whole;
  }
}

const padding = (size: number): OpenFile[] => {
  const gap = gapBehind(size);
  return gap > 0 ? [openBytes(new Uint8Array(gap))] : [];
};

/** A file of values and tensors, each in its own type. ggml wants the innermost extent first. */
export function ggufFile(
  metadata: ReadonlyMap<string, GgufValue>,
  tensors: ReadonlyMap<string, StoredTensor>,
): OpenFile {
  const head = new Bytes().uint32(0x46554747).uint32(VERSION).uint64(tensors.size).uint64(metadata.size);
  for (const [key, value] of metadata) head.text(key).value(value);
  const data: OpenFile[] = [];
  let offset = 0;
  for (const [name, tensor] of tensors) {
    const extents = [...tensor.shape].reverse();
    head.text(name).uint32(extents.length);
    for (const extent of extents) head.uint64(extent);
    head.uint32(TENSOR_TYPES[tensor.dtype]).uint64(offset);
    const size = storedBytes(tensor);
    data.push({ size, read: (begin, end) => tensor.read(begin, end) }, ...padding(size));
    offset += size + gapBehind(size);
  }
  const bytes = head.joined();
  return joined([openBytes(bytes), ...padding(bytes.byteLength), ...data]);
}

/** A matrix or vector whose row `i` is row `from(i)` of `tensor`, which is read as a whole. */
export function withRows(tensor: StoredTensor, from: (row: number) => number): StoredTensor {
  const [rows = 0, columns = 1] = tensor.shape;
  const width = columns * BYTES_PER_ELEMENT[tensor.dtype];
  return {
    shape: tensor.shape,
    dtype: tensor.dtype,
    async read(begin, end) {
      const whole = await tensor.read(0, storedBytes(tensor));
      const moved = new Uint8Array(rows * width);
      for (let row = 0; row < rows; row++) {
        const first = from(row) * width;
        moved.set(whole.subarray(first, first + width), row * width);
      }
      return moved.subarray(begin, end);
    },
  };
}
