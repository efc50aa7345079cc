/**
 * The GGUF container, version 3 (ggml's docs/gguf.md): metadata by key, then the list of tensors, then their data. Its parts are read when it
 * is read.
 */
import { ByteWriter } from 'hyparquet-writer';
import {
  GGML_TYPES,
  storedBytes,
  type StoredTensor,
  joined,
  openBytes,
  type OpenFile,
  paddingBehind,
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

/** The letters GGUF. */
const MAGIC = 0x46554747;
const VERSION = 3;
const UINT32 = 4;
const INT32 = 5;
const FLOAT32 = 6;
const BOOL = 7;
const TEXT = 8;
const ARRAY = 9;

/** Tensors begin at multiples of so many bytes, the format's default. */
const ALIGNMENT = 32;

/** Puts numbers and texts one behind the other, little-endian. */
class GgufWriter extends ByteWriter {
  appendText(value: string): void {
    const bytes = new TextEncoder().encode(value);
    this.appendInt64(BigInt(bytes.byteLength));
    this.appendBytes(bytes);
  }

  appendValue(value: GgufValue): void {
    if ('uint32' in value) this.#typed(UINT32).appendUint32(value.uint32);
    else if ('float32' in value) this.#typed(FLOAT32).appendFloat32(value.float32);
    else if ('bool' in value) this.#typed(BOOL).appendUint8(value.bool ? 1 : 0);
    else if ('text' in value) this.#typed(TEXT).appendText(value.text);
    else if ('texts' in value) this.#array(TEXT, value.texts, (each) => this.appendText(each));
    else if ('int32s' in value) this.#array(INT32, value.int32s, (each) => this.appendInt32(each));
    else this.#array(FLOAT32, value.float32s, (each) => this.appendFloat32(each));
  }

  #typed(type: number): this {
    this.appendUint32(type);
    return this;
  }

  #array<Each>(type: number, values: readonly Each[], write: (each: Each) => void): void {
    this.#typed(ARRAY).#typed(type).appendInt64(BigInt(values.length));
    values.forEach(write);
  }
}

/** A file of values and tensors, each in its own type. ggml wants the innermost extent first. */
export function ggufFile(
  metadata: ReadonlyMap<string, GgufValue>,
  tensors: ReadonlyMap<string, StoredTensor>,
): OpenFile {
  const head = new GgufWriter();
  for (const number of [MAGIC, VERSION]) head.appendUint32(number);
  for (const count of [tensors.size, metadata.size]) head.appendInt64(BigInt(count));
  for (const [key, value] of metadata) {
    head.appendText(key);
    head.appendValue(value);
  }
  const data: OpenFile[] = [];
  let offset = 0;
  for (const [name, tensor] of tensors) {
    const extents = [...tensor.shape].reverse();
    head.appendText(name);
    head.appendUint32(extents.length);
    for (const extent of extents) head.appendInt64(BigInt(extent));
    head.appendUint32(GGML_TYPES[tensor.dtype]);
    head.appendInt64(BigInt(offset));
    const size = storedBytes(tensor);
    data.push({ size, read: (begin, end) => tensor.read(begin, end) }, ...paddingBehind(size, ALIGNMENT));
    offset = ALIGNMENT * Math.ceil((offset + size) / ALIGNMENT);
  }
  const bytes = new Uint8Array(head.getBuffer());
  return joined([openBytes(bytes), ...paddingBehind(bytes.byteLength, ALIGNMENT), ...data]);
}
