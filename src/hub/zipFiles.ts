/**
 * The files of a zip, read where they lie in it: a model's weights are stored without compression, and take no memory here. Archives
 * and files beyond 4 GiB are ZIP64 (PKWARE's APPNOTE, 4.3 and 4.5.3).
 */
import { BlobOfPieces } from '../base/blobOfPieces.ts';
import { ModelFileError, type ModelFiles, type OpenFile } from './types.ts';
import { openBlob } from './openFiles.ts';
import { filesInBlobs } from './sources.ts';
import {
  DEFLATED,
  DIRECTORY_LENGTH,
  DIRECTORY_RECORD,
  ELSEWHERE_16,
  ELSEWHERE_32,
  ENCRYPTED,
  END_LENGTH,
  END_LENGTH_64,
  END_RECORD,
  END_RECORD_64,
  EXTRA_64,
  FILE_LENGTH,
  FILE_RECORD,
  LOCATOR_64,
  LOCATOR_64_LENGTH,
  STORED,
} from './zipFormat.ts';

const LONGEST_COMMENT = 0xffff;

interface Entry {
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  /** Bytes in the archive, and of the file itself. */
  readonly stored: number;
  readonly size: number;
  /** Where the file's own header begins. */
  readonly at: number;
}

/** More than a model folder's directory takes, less than what fills the memory. */
const LARGEST_DIRECTORY = 64 * 2 ** 20;
/** Bytes of what is unpacked: keeps a hostile archive from filling memory and disk. */
const LARGEST_CONTENT = 16 * 2 ** 30;

/** Reads the archive's directory, no file. @throws ModelFileError where the file is no whole zip. */
export async function filesInZip(label: string, zip: OpenFile): Promise<ModelFiles> {
  const [first, second] = await zip.read(0, Math.min(2, zip.size));
  if (first !== 0x50 || second !== 0x4b)
    throw new ModelFileError(
      `${label} is no zip file: it has ${zip.size} bytes and does not begin with "PK". Choose a checkpoint of RL Playground or a zipped Hugging Face model folder.`,
    );
  const entries = withoutTopFolder((await directory(label, zip)).filter(({ name }) => isContent(name)));
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const unpacked = entries.reduce((sum, { method, size }) => (method === STORED ? sum : sum + size), 0);
  if (unpacked > LARGEST_CONTENT)
    throw new ModelFileError(
      `${label} unpacks to ${unpacked} bytes; at most ${LARGEST_CONTENT} are taken. Unpack the zip and take the folder.`,
    );
  /** Unpacked once: weights are opened for every piece that is read. */
  const opened = new Map<string, Promise<OpenFile>>();
  return {
    label,
    names: [...byName.keys()],
    open: async (name, options) => {
      options?.signal?.throwIfAborted();
      const entry = byName.get(name);
      if (entry === undefined) return null;
      const opening = opened.get(name) ?? openEntry(label, zip, entry);
      opened.set(name, opening);
      const file = await opening;
      options?.onProgress?.(file.size, file.size);
      return file;
    },
  };
}

/** Files that were chosen together, or what is in the one zip that they are. @throws ModelFileError where that is no whole zip. */
export async function filesChosen(label: string, files: readonly File[]): Promise<ModelFiles> {
  const [first] = files;
  if (first !== undefined && files.length === 1 && !/\.(json|safetensors)$/.test(first.name))
    return filesInZip(label, openBlob(first));
  return filesInBlobs(label, new Map(files.map((file) => [file.name, file])));
}

/** What macOS adds, and folders, are left out. */
function isContent(name: string): boolean {
  return !name.endsWith('/') && !name.startsWith('__MACOSX/') && !name.endsWith('.DS_Store');
}

/** If everything lies in one folder at the top, that is taken for the root. */
function withoutTopFolder(entries: readonly Entry[]): readonly Entry[] {
  const folder = `${entries[0]?.name.split('/')[0] ?? ''}/`;
  if (!entries.every(({ name }) => name.startsWith(folder))) return entries;
  return entries.map((entry) => ({ ...entry, name: entry.name.slice(folder.length) }));
}

function damaged(label: string, what: string): ModelFileError {
  return new ModelFileError(
    `${label} is no whole zip file: ${what}. It is truncated or damaged, or of another kind; choose a zipped Hugging Face model folder or a checkpoint of this page, or download it again.`,
  );
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A whole number of 64 bits; files of this size are no concern. */
function long(view: DataView, at: number): number {
  return Number(view.getBigUint64(at, true));
}

async function part(label: string, zip: OpenFile, begin: number, length: number): Promise<DataView> {
  if (begin < 0 || begin + length > zip.size)
    throw damaged(label, `it has ${zip.size} bytes, and bytes ${begin} to ${begin + length} were looked for`);
  return viewOf(await zip.read(begin, begin + length));
}

async function directory(label: string, zip: OpenFile): Promise<Entry[]> {
  const { at, length } = await directoryPlace(label, zip);
  if (length > LARGEST_DIRECTORY) throw damaged(label, `its directory is said to take ${length} bytes`);
  const view = await part(label, zip, at, length);
  const entries: Entry[] = [];
  for (let next = 0; next < length;) {
    if (next + DIRECTORY_LENGTH > length || view.getUint32(next, true) !== DIRECTORY_RECORD)
      throw damaged(label, `its directory breaks off after ${entries.length} files`);
    const lengths = [28, 30, 32].map((offset) => view.getUint16(next + offset, true));
    const end = next + DIRECTORY_LENGTH + lengths.reduce((sum, each) => sum + each, 0);
    if (end > length) throw damaged(label, `its directory breaks off after ${entries.length} files`);
    entries.push(entryAt(view, next));
    next = end;
  }
  return entries;
}

async function directoryPlace(label: string, zip: OpenFile): Promise<{ at: number; length: number }> {
  const tail = Math.min(zip.size, END_LENGTH + LONGEST_COMMENT + LOCATOR_64_LENGTH);
  const view = await part(label, zip, zip.size - tail, tail);
  let end = tail - END_LENGTH;
  while (end >= 0 && view.getUint32(end, true) !== END_RECORD) end--;
  if (end < 0) throw damaged(label, `its ${zip.size} bytes have no directory at their end`);
  const [length, at] = [view.getUint32(end + 12, true), view.getUint32(end + 16, true)];
  const locator = end - LOCATOR_64_LENGTH;
  const files = view.getUint16(end + 10, true);
  const short = files !== ELSEWHERE_16 && length !== ELSEWHERE_32 && at !== ELSEWHERE_32;
  if (short || locator < 0 || view.getUint32(locator, true) !== LOCATOR_64) return { at, length };
  const record = await part(label, zip, long(view, locator + 8), END_LENGTH_64);
  if (record.getUint32(0, true) !== END_RECORD_64) throw damaged(label, 'its ZIP64 record is missing');
  return { at: long(record, 48), length: long(record, 40) };
}

function entryAt(view: DataView, at: number): Entry {
  const nameLength = view.getUint16(at + 28, true);
  const extraLength = view.getUint16(at + 30, true);
  const nameAt = at + DIRECTORY_LENGTH;
  const bytes = new Uint8Array(view.buffer, view.byteOffset + nameAt, nameLength);
  const sizes = {
    size: view.getUint32(at + 24, true),
    stored: view.getUint32(at + 20, true),
    at: view.getUint32(at + 42, true),
  };
  return {
    name: new TextDecoder().decode(bytes),
    flags: view.getUint16(at + 8, true),
    method: view.getUint16(at + 10, true),
    ...withLongSizes(sizes, view, nameAt + nameLength, extraLength),
  };
}

/** The numbers that 32 bits do not hold are in an extra field, in this order. */
function withLongSizes(
  sizes: Pick<Entry, 'size' | 'stored' | 'at'>,
  view: DataView,
  extraAt: number,
  extraLength: number,
): Pick<Entry, 'size' | 'stored' | 'at'> {
  for (let next = extraAt; next + 4 <= extraAt + extraLength; next += 4 + view.getUint16(next + 2, true)) {
    if (view.getUint16(next, true) !== EXTRA_64) continue;
    let at = next + 4;
    const end = at + view.getUint16(next + 2, true);
    const found = { ...sizes };
    for (const key of ['size', 'stored', 'at'] as const) {
      if (sizes[key] !== ELSEWHERE_32 || at + 8 > end) continue;
      found[key] = long(view, at);
      at += 8;
    }
    return found;
  }
  return sizes;
}

async function openEntry(label: string, zip: OpenFile, entry: Entry): Promise<OpenFile> {
  const { name, flags, method, stored, size } = entry;
  const header = await part(label, zip, entry.at, FILE_LENGTH);
  if (header.getUint32(0, true) !== FILE_RECORD) throw damaged(label, `${name} is not where it should be`);
  const begin = entry.at + FILE_LENGTH + header.getUint16(26, true) + header.getUint16(28, true);
  if (begin + stored > zip.size) throw damaged(label, `${name} goes beyond its end`);
  if ((flags & ENCRYPTED) !== 0)
    throw new ModelFileError(`${label}: ${name} is encrypted. Unpack the zip and take the folder.`);
  if (method === STORED) return { size, read: (from, to) => zip.read(begin + from, begin + to) };
  if (method !== DEFLATED)
    throw new ModelFileError(
      `${label}: ${name} is compressed by method ${method}; stored and deflated files can be read. Unpack the zip and take the folder.`,
    );
  return inflated(label, name, await zip.read(begin, begin + stored), size);
}

async function inflated(label: string, name: string, bytes: Uint8Array, size: number): Promise<OpenFile> {
  const reader = new Blob([new Uint8Array(bytes)])
    .stream()
    .pipeThrough(new DecompressionStream('deflate-raw'))
    .getReader();
  const pieces = new BlobOfPieces();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      pieces.add(value);
      if (pieces.size > size) throw new Error(`more than the ${size} bytes that were announced come out`);
    }
    if (pieces.size === size) return openBlob(pieces.blob());
    throw new Error(`${pieces.size} bytes came out, ${size} were announced`);
  } catch (error) {
    await reader.cancel().catch(() => {});
    throw damaged(
      label,
      `${name} can't be unpacked (${error instanceof Error ? error.message : 'no reason given'})`,
    );
  }
}
