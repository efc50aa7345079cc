/**
 * The safetensors container: 8 bytes little-endian header length, a JSON header
 * `{name: {dtype, shape, data_offsets: [begin, end)}}`, then the data. Values are held as f32 in memory.
 */
import { z } from 'zod';
import { ModelFileError } from './types.ts';
import { fromBfloat16, fromFloat16, toBfloat16, toFloat16 } from './halfFloats.ts';
import { sizeOf } from '../model/parameters.ts';
import type { TensorData } from '../model/weights.ts';

export interface SafetensorsFile {
  readonly tensors: Map<string, TensorData>;
  readonly metadata: Record<string, string>;
}

export type StoredType = 'F32' | 'F16' | 'BF16';

const BYTES_PER_ELEMENT: Readonly<Record<StoredType, number>> = { F32: 4, F16: 2, BF16: 2 };
/** The limit of the reference implementation. */
const LARGEST_HEADER = 100_000_000;

const entrySchema = z.object({
  dtype: z.string(),
  shape: z.array(z.number().int().nonnegative()),
  data_offsets: z.tuple([z.number().int().nonnegative(), z.number().int().nonnegative()]),
});
const metadataSchema = z.record(z.string(), z.string());

interface Entry {
  readonly name: string;
  readonly dtype: StoredType;
  readonly shape: readonly number[];
  readonly begin: number;
  readonly end: number;
}

function storedType(dtype: string, name: string, label: string): StoredType {
  if (dtype === 'F32' || dtype === 'F16' || dtype === 'BF16') return dtype;
  throw new ModelFileError(
    `${label}: tensor "${name}" is stored as ${dtype}; supported are F32, F16 and BF16. Use an unquantized copy of the model.`,
  );
}

function readHeader(
  bytes: Uint8Array,
  label: string,
): { header: Record<string, unknown>; dataStart: number } {
  if (bytes.byteLength < 8)
    throw new ModelFileError(
      `${label}: ${bytes.byteLength} bytes are no safetensors file; at least 8 are needed. Download the file again.`,
    );
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = view.getBigUint64(0, true);
  const room = bytes.byteLength - 8;
  if (length > BigInt(LARGEST_HEADER) || length > BigInt(room))
    throw new ModelFileError(
      `${label}: the header claims ${length} bytes, but ${room} are there (limit ${LARGEST_HEADER}). The file is truncated or no safetensors file; download it again.`,
    );
  const dataStart = 8 + Number(length);
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(8, dataStart)));
  } catch {
    throw new ModelFileError(
      `${label}: the ${length} bytes of header are no JSON. The file is damaged or no safetensors file.`,
    );
  }
  if (typeof header !== 'object' || header === null || Array.isArray(header))
    throw new ModelFileError(
      `${label}: the header must be a JSON object of tensors, found ${JSON.stringify(header).slice(0, 40)}.`,
    );
  return { header: { ...header }, dataStart };
}

function readEntry(name: string, value: unknown, label: string): Entry {
  const parsed = entrySchema.safeParse(value);
  if (!parsed.success)
    throw new ModelFileError(
      `${label}: the header of tensor "${name}" is malformed; it needs dtype, a shape of whole numbers and data_offsets [begin, end], found ${JSON.stringify(value)?.slice(0, 120)}.`,
    );
  const dtype = storedType(parsed.data.dtype, name, label);
  const { shape } = parsed.data;
  const [begin, end] = parsed.data.data_offsets;
  const needed = sizeOf(shape) * BYTES_PER_ELEMENT[dtype];
  if (end - begin !== needed)
    throw new ModelFileError(
      `${label}: tensor "${name}" of shape [${shape.join(', ')}] in ${dtype} needs ${needed} bytes, but its offsets [${begin}, ${end}] hold ${end - begin}.`,
    );
  return { name, dtype, shape, begin, end };
}

/** The format allows neither gaps nor overlaps: together the tensors fill the data exactly. */
function checkLayout(entries: readonly Entry[], dataBytes: number, label: string): void {
  let position = 0;
  let previous = 'the header';
  for (const entry of [...entries].sort((a, b) => a.begin - b.begin || a.end - b.end)) {
    if (entry.begin !== position) {
      const what = entry.begin < position ? 'overlaps' : 'leaves a gap after';
      throw new ModelFileError(
        `${label}: tensor "${entry.name}" ${what} ${previous}: it begins at byte ${entry.begin} of the data, needed is ${position}.`,
      );
    }
    if (entry.end > dataBytes)
      throw new ModelFileError(
        `${label}: tensor "${entry.name}" ends at byte ${entry.end} of the data, but only ${dataBytes} bytes are there. The file is truncated; download it again.`,
      );
    position = entry.end;
    previous = `tensor "${entry.name}"`;
  }
  if (position !== dataBytes)
    throw new ModelFileError(
      `${label}: the tensors take ${position} bytes, but ${dataBytes} bytes of data are there. The file is damaged.`,
    );
}

function decode(bytes: Uint8Array, dtype: StoredType): Float32Array {
  // A copy, because a tensor may begin at any byte and typed arrays want aligned ones. Not `slice`: that of Node's Buffer is
  // a view, which would bring the whole file along.
  const { buffer } = new Uint8Array(bytes);
  if (dtype === 'F32') return new Float32Array(buffer);
  const halves = new Uint16Array(buffer);
  return dtype === 'BF16' ? fromBfloat16(halves) : fromFloat16(halves);
}

/**
 * Reads a whole file; F16 and BF16 are widened to f32. Values are not judged here: NaN passes.
 * @throws ModelFileError naming `label` for anything that breaks the format.
 */
export function parseSafetensors(bytes: Uint8Array, label = 'model.safetensors'): SafetensorsFile {
  const { header, dataStart } = readHeader(bytes, label);
  const { __metadata__: rawMetadata, ...rest } = header;
  const metadata = metadataSchema.safeParse(rawMetadata ?? {});
  if (!metadata.success) throw new ModelFileError(`${label}: __metadata__ must map text to text.`);
  const entries = Object.entries(rest).map(([name, value]) => readEntry(name, value, label));
  const data = bytes.subarray(dataStart);
  checkLayout(entries, data.byteLength, label);
  const tensors = new Map<string, TensorData>();
  for (const { name, shape, dtype, begin, end } of entries)
    tensors.set(name, { shape, data: decode(data.subarray(begin, end), dtype) });
  return { tensors, metadata: metadata.data };
}

function encode(data: Float32Array, dtype: StoredType): Uint8Array {
  if (dtype === 'F32') return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const halves = dtype === 'BF16' ? toBfloat16(data) : toFloat16(data);
  return new Uint8Array(halves.buffer);
}

/**
 * Writes a file, tensors in the order given; F16 and BF16 round to nearest, ties to even. The header is padded with
 * spaces so that data begins on a multiple of 8 bytes, as the reference implementation does.
 */
export function writeSafetensors(
  tensors: ReadonlyMap<string, TensorData>,
  options: { readonly dtype?: StoredType; readonly metadata?: Readonly<Record<string, string>> } = {},
): Uint8Array {
  const dtype = options.dtype ?? 'F32';
  const header: Record<string, unknown> = {};
  if (options.metadata !== undefined) header['__metadata__'] = options.metadata;
  let position = 0;
  for (const [name, { shape, data }] of tensors) {
    if (sizeOf(shape) !== data.length)
      throw new ModelFileError(
        `Tensor "${name}" of shape [${shape.join(', ')}] needs ${sizeOf(shape)} values, found ${data.length}.`,
      );
    const end = position + data.length * BYTES_PER_ELEMENT[dtype];
    header[name] = { dtype, shape, data_offsets: [position, end] };
    position = end;
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const headerBytes = Math.ceil(text.byteLength / 8) * 8;
  const file = new Uint8Array(8 + headerBytes + position);
  new DataView(file.buffer).setBigUint64(0, BigInt(headerBytes), true);
  file.fill(0x20, 8, 8 + headerBytes);
  file.set(text, 8);
  let offset = 8 + headerBytes;
  for (const { data } of tensors.values()) {
    const encoded = encode(data, dtype);
    file.set(encoded, offset);
    offset += encoded.byteLength;
  }
  return file;
}
