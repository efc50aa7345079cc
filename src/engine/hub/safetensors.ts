/**
 * The safetensors container: 8 bytes little-endian header length, a JSON header `{name: {dtype, shape, data_offsets: [begin, end)}}`,
 * then the data. Weights are read in pieces and in the file's own words; small files, such as adapters, are read whole and as f32.
 */
import { shownJson } from '@rl-playground/base/json';
import { z } from 'zod';
import { joined, openBytes } from './openFiles.ts';
import { ModelFileError, type OpenFile } from './types.ts';
import {
  BYTES_PER_ELEMENT,
  decode,
  encode,
  storedBytes,
  type StoredTensor,
  type NumberType,
  type StoredWeights,
} from '../model/storedWeights.ts';
import { sizeOf } from '../model/parameters.ts';
import type { TensorData } from '../model/weights.ts';

export interface SafetensorsFile {
  readonly tensors: Map<string, TensorData>;
  readonly metadata: Record<string, string>;
}

/** The largest header that the reference implementation accepts. */
const LARGEST_HEADER = 100_000_000;

const entrySchema = z.object({
  dtype: z.string(),
  shape: z.array(z.number().int().nonnegative()),
  data_offsets: z.tuple([z.number().int().nonnegative(), z.number().int().nonnegative()]),
});
const metadataSchema = z.record(z.string(), z.string());

/** The types of a file's tensors. F64 is rounded to f32 when it is read, as libraries do that are asked for f32. */
type FileType = NumberType | 'F64';

const FILE_BYTES: Readonly<Record<FileType, number>> = { ...BYTES_PER_ELEMENT, F64: 8 };

interface Entry {
  readonly name: string;
  readonly dtype: FileType;
  readonly shape: readonly number[];
  readonly begin: number;
  readonly end: number;
}

function fileType(dtype: string, name: string, label: string): FileType {
  if (dtype === 'F32' || dtype === 'F16' || dtype === 'BF16' || dtype === 'F64') return dtype;
  throw new ModelFileError(
    `${label}: tensor "${name}" is stored as ${dtype}; supported are F64, F32, F16 and BF16. Use an unquantized copy of the model.`,
  );
}

/** Bytes before the header, which hold its length. */
const PREFIX = 8;

function checkPrefix(size: number, label: string): void {
  if (size >= PREFIX) return;
  throw new ModelFileError(
    `${label}: ${size} bytes are no safetensors file; at least ${PREFIX} are needed. Download the file again.`,
  );
}

/** The offset of the data, from the first 8 bytes of a file of `size` bytes. */
function dataStartOf(prefix: Uint8Array, size: number, label: string): number {
  const length = new DataView(prefix.buffer, prefix.byteOffset, PREFIX).getBigUint64(0, true);
  const room = size - PREFIX;
  if (length > BigInt(LARGEST_HEADER) || length > BigInt(room))
    throw new ModelFileError(
      `${label}: the header claims ${length} bytes, but ${room} are there (limit ${LARGEST_HEADER}). The file is truncated or no safetensors file; download it again.`,
    );
  return PREFIX + Number(length);
}

interface Header {
  readonly entries: readonly Entry[];
  readonly metadata: Record<string, string>;
}

/** `bytes` are those of the header alone; `dataBytes` is the number of bytes after them. */
function parseHeader(bytes: Uint8Array, dataBytes: number, label: string): Header {
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new ModelFileError(
      `${label}: the ${bytes.byteLength} bytes of header are no JSON. The file is damaged or no safetensors file.`,
    );
  }
  if (typeof header !== 'object' || header === null || Array.isArray(header))
    throw new ModelFileError(
      `${label}: the header must be a JSON object of tensors, found ${shownJson(header, 40)}.`,
    );
  const { __metadata__: rawMetadata, ...rest } = { ...header } as Record<string, unknown>;
  const metadata = metadataSchema.safeParse(rawMetadata ?? {});
  if (!metadata.success) throw new ModelFileError(`${label}: __metadata__ must map text to text.`);
  const entries = Object.entries(rest).map(([name, value]) => readEntry(name, value, label));
  checkLayout(entries, dataBytes, label);
  return { entries, metadata: metadata.data };
}

function readEntry(name: string, value: unknown, label: string): Entry {
  const parsed = entrySchema.safeParse(value);
  if (!parsed.success)
    throw new ModelFileError(
      `${label}: the header of tensor "${name}" is malformed; it needs dtype, a shape of whole numbers and data_offsets [begin, end], found ${shownJson(value, 120)}.`,
    );
  const dtype = fileType(parsed.data.dtype, name, label);
  const { shape } = parsed.data;
  const [begin, end] = parsed.data.data_offsets;
  const needed = sizeOf(shape) * FILE_BYTES[dtype];
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

/** The doubles in `bytes`, rounded to f32. `decode` does the same for the types that are kept. */
function rounded(bytes: Uint8Array): Float32Array<ArrayBuffer> {
  return Float32Array.from(new Float64Array(new Uint8Array(bytes).buffer));
}

/**
 * Reads a whole file. F16 and BF16 are widened to f32, and F64 is rounded. NaN is accepted here.
 *
 * @throws ModelFileError naming `label` for anything that breaks the format.
 */
export function parseSafetensors(bytes: Uint8Array, label = 'model.safetensors'): SafetensorsFile {
  checkPrefix(bytes.byteLength, label);
  const dataStart = dataStartOf(bytes, bytes.byteLength, label);
  const data = bytes.subarray(dataStart);
  const { entries, metadata } = parseHeader(bytes.subarray(PREFIX, dataStart), data.byteLength, label);
  const tensors = new Map<string, TensorData>();
  for (const { name, shape, dtype, begin, end } of entries) {
    const bytes = data.subarray(begin, end);
    tensors.set(name, { shape, data: dtype === 'F64' ? rounded(bytes) : decode(bytes, dtype) });
  }
  return { tensors, metadata };
}

/**
 * Reads the header alone; the tensors are read from `file` when they are needed.
 *
 * @throws ModelFileError naming `label` for anything that breaks the format.
 */
export async function openSafetensors(file: OpenFile, label: string): Promise<StoredWeights> {
  checkPrefix(file.size, label);
  const dataStart = dataStartOf(await file.read(0, PREFIX), file.size, label);
  const { entries } = parseHeader(await file.read(PREFIX, dataStart), file.size - dataStart, label);
  return new Map(
    entries.map(({ name, shape, dtype, begin }): [string, StoredTensor] => {
      const first = dataStart + begin;
      if (dtype === 'F64') return [name, { shape, dtype: 'F32', read: readRounded(file, first) }];
      return [name, { shape, dtype, read: (from, to) => file.read(first + from, first + to) }];
    }),
  );
}

/** Reads doubles from byte `first` on as if they were f32. */
function readRounded(file: OpenFile, first: number): StoredTensor['read'] {
  return async (from, to) =>
    new Uint8Array(rounded(await file.read(first + 2 * from, first + 2 * to)).buffer);
}

/**
 * The header of a file with these tensors, in the order given. It is padded with spaces so that data begins at a multiple of 8 bytes, as
 * in the reference implementation.
 */
export function safetensorsHeader(
  tensors: Iterable<readonly [name: string, tensor: Pick<StoredTensor, 'shape' | 'dtype'>]>,
  metadata?: Readonly<Record<string, string>>,
): Uint8Array {
  const header: Record<string, unknown> = {};
  if (metadata !== undefined) header['__metadata__'] = metadata;
  let position = 0;
  for (const [name, { shape, dtype }] of tensors) {
    const end = position + storedBytes({ shape, dtype });
    header[name] = { dtype, shape, data_offsets: [position, end] };
    position = end;
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const length = Math.ceil(text.byteLength / PREFIX) * PREFIX;
  const bytes = new Uint8Array(PREFIX + length).fill(0x20);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(length), true);
  bytes.set(text, PREFIX);
  return bytes;
}

/** A file of tensors in the order given, each in its own words, which are read from their places when the file is read. */
export function safetensorsFile(
  tensors: StoredWeights,
  metadata?: Readonly<Record<string, string>>,
): OpenFile {
  const data = [...tensors.values()].map((tensor) => ({
    size: storedBytes(tensor),
    read: (begin: number, end: number) => tensor.read(begin, end),
  }));
  return joined([openBytes(safetensorsHeader(tensors, metadata)), ...data]);
}

/** Writes a file, tensors in the order given; F16 and BF16 round to nearest, ties to even. */
export function writeSafetensors(
  tensors: ReadonlyMap<string, TensorData>,
  options: {
    readonly dtype?: NumberType;
    readonly metadata?: Readonly<Record<string, string>>;
  } = {},
): Uint8Array {
  const dtype = options.dtype ?? 'F32';
  let dataBytes = 0;
  for (const [name, { shape, data }] of tensors) {
    if (sizeOf(shape) !== data.length)
      throw new ModelFileError(
        `Tensor "${name}" of shape [${shape.join(', ')}] needs ${sizeOf(shape)} values, found ${data.length}.`,
      );
    dataBytes += data.length * BYTES_PER_ELEMENT[dtype];
  }
  const typed = [...tensors].map(([name, { shape }]) => [name, { shape, dtype }] as const);
  const header = safetensorsHeader(typed, options.metadata);
  const file = new Uint8Array(header.byteLength + dataBytes);
  file.set(header);
  let offset = header.byteLength;
  for (const { data } of tensors.values()) {
    const encoded = encode(data, dtype);
    file.set(encoded, offset);
    offset += encoded.byteLength;
  }
  return file;
}
