/**
 * Reads the directory of a zip: its files, their places and their sizes (PKWARE's APPNOTE, 4.3 and 4.5.3). Headers may lie, so they are
 * compared with each other before a byte of a file is read: a file's own header must agree with the directory, no two files may share
 * bytes, and no name may lead out of the folder or occur twice.
 */
import { bytesText } from '@rl-playground/base/text';
import { ModelFileError, type OpenFile } from './types.ts';
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
  SIZES_BEHIND,
  STORED,
} from './zipFormat.ts';

const LONGEST_COMMENT = 0xffff;
/** The largest directory: more than a model folder's, less than what fills the memory. */
const LARGEST_DIRECTORY = 64 * 2 ** 20;
/** The most files: more than a run writes in years, and few enough to look at each. */
const MOST_FILES = 100_000;
/** The bytes of headers before files that are read at once: those of small files are close together. */
const WINDOW = 64 * 2 ** 10;
/** The largest number of bytes from one deflated byte: 1032 (the longest match, 258 bytes, in two bits). */
const MOST_INFLATION = 1032;

/** The fields that both headers of a file have. */
interface Header {
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  /** CRC-32 of the file itself. */
  readonly sum: number;
  /** The bytes in the archive, and those of the file itself. */
  readonly stored: number;
  readonly size: number;
}

interface Listed extends Header {
  /** The offset of the file's own header. */
  readonly at: number;
}

/** A file of a zip. */
export interface ZipEntry extends Header {
  /** The offset of its bytes. */
  readonly begin: number;
}

export function damaged(label: string, what: string): ModelFileError {
  return new ModelFileError(
    `${label} is no whole zip file: ${what}. It is truncated or damaged, or of another kind; choose a zipped Hugging Face model folder or a checkpoint of this page, or download it again.`,
  );
}

function refused(label: string, what: string): ModelFileError {
  return new ModelFileError(`${label}: ${what}. Unpack the zip and take the folder.`);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Reads a whole number of 64 bits. It is exact up to 2⁵³, far beyond any file. */
function long(view: DataView, at: number): number {
  return Number(view.getBigUint64(at, true));
}

async function part(label: string, zip: OpenFile, begin: number, length: number): Promise<DataView> {
  if (begin < 0 || begin + length > zip.size)
    throw damaged(label, `it has ${zip.size} bytes, and bytes ${begin} to ${begin + length} were looked for`);
  const view = viewOf(await zip.read(begin, begin + length));
  if (view.byteLength === length) return view;
  throw damaged(label, `${view.byteLength} bytes came of bytes ${begin} to ${begin + length}`);
}

/**
 * Every file of a zip, including folders and files without use here, in the order of the directory. It reads the directory and the header
 * of each file. `mostUnpacked` is the limit in bytes for all compressed files unpacked.
 *
 * @throws ModelFileError if the file is no whole zip, contradicts itself, or unpacks to more.
 */
export async function zipEntries(
  label: string,
  zip: OpenFile,
  mostUnpacked: number,
): Promise<readonly ZipEntry[]> {
  const place = await directoryPlace(label, zip);
  const listed = await directory(label, zip, place);
  for (const each of listed) refuseUnreadable(label, each);
  refuseSizes(label, listed, mostUnpacked);
  return located(label, zip, listed, place.at);
}

interface Place {
  readonly at: number;
  readonly length: number;
  readonly files: number;
}

async function directory(label: string, zip: OpenFile, { at, length, files }: Place): Promise<Listed[]> {
  if (length > LARGEST_DIRECTORY) throw damaged(label, `its directory is said to take ${length} bytes`);
  if (files > MOST_FILES)
    throw refused(label, `it is said to hold ${files} files; at most ${MOST_FILES} are taken`);
  const view = await part(label, zip, at, length);
  const entries: Listed[] = [];
  for (let next = 0; next < length;) {
    if (next + DIRECTORY_LENGTH > length || view.getUint32(next, true) !== DIRECTORY_RECORD)
      throw damaged(label, `its directory breaks off after ${entries.length} files`);
    const lengths = [28, 30, 32].map((offset) => view.getUint16(next + offset, true));
    const end = next + DIRECTORY_LENGTH + lengths.reduce((sum, each) => sum + each, 0);
    if (end > length) throw damaged(label, `its directory breaks off after ${entries.length} files`);
    entries.push(entryAt(view, next));
    next = end;
  }
  if (entries.length !== files)
    throw damaged(label, `its directory lists ${entries.length} files, and its end says ${files}`);
  return entries;
}

async function directoryPlace(label: string, zip: OpenFile): Promise<Place> {
  const tail = Math.min(zip.size, END_LENGTH + LONGEST_COMMENT + LOCATOR_64_LENGTH);
  const view = await part(label, zip, zip.size - tail, tail);
  let end = tail - END_LENGTH;
  while (end >= 0 && view.getUint32(end, true) !== END_RECORD) end--;
  if (end < 0) throw damaged(label, `its ${zip.size} bytes have no directory at their end`);
  const [length, at] = [view.getUint32(end + 12, true), view.getUint32(end + 16, true)];
  const locator = end - LOCATOR_64_LENGTH;
  const files = view.getUint16(end + 10, true);
  const short = files !== ELSEWHERE_16 && length !== ELSEWHERE_32 && at !== ELSEWHERE_32;
  if (short || locator < 0 || view.getUint32(locator, true) !== LOCATOR_64) return { at, length, files };
  const record = await part(label, zip, long(view, locator + 8), END_LENGTH_64);
  if (record.getUint32(0, true) !== END_RECORD_64) throw damaged(label, 'its ZIP64 record is missing');
  return { at: long(record, 48), length: long(record, 40), files: long(record, 32) };
}

/** The fields that both headers have, which are 2 bytes further on in the directory's. The name is not among them. */
function commonAt(view: DataView, at: number): Omit<Header, 'name'> {
  return {
    flags: view.getUint16(at + 6, true),
    method: view.getUint16(at + 8, true),
    sum: view.getUint32(at + 14, true),
    stored: view.getUint32(at + 18, true),
    size: view.getUint32(at + 22, true),
  };
}

function textAt(view: DataView, at: number, length: number): string {
  return new TextDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + at, length));
}

function entryAt(view: DataView, at: number): Listed {
  const nameLength = view.getUint16(at + 28, true);
  const extraLength = view.getUint16(at + 30, true);
  const nameAt = at + DIRECTORY_LENGTH;
  const { flags, method, sum, size, stored } = commonAt(view, at + 2);
  const places = { size, stored, at: view.getUint32(at + 42, true) };
  return {
    name: textAt(view, nameAt, nameLength),
    flags,
    method,
    sum,
    ...withLongSizes(places, view, nameAt + nameLength, extraLength),
  };
}

/** Replaces numbers that 32 bits do not hold by those of an extra field, which are in this order. */
function withLongSizes<Sizes extends { size: number; stored: number; at?: number }>(
  sizes: Sizes,
  view: DataView,
  extraAt: number,
  extraLength: number,
): Sizes {
  const extraEnd = extraAt + extraLength;
  for (let next = extraAt; next + 4 <= extraEnd; next += 4 + view.getUint16(next + 2, true)) {
    if (view.getUint16(next, true) !== EXTRA_64) continue;
    let at = next + 4;
    const end = Math.min(at + view.getUint16(next + 2, true), extraEnd);
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

/** A name for messages. */
const shown = (name: string): string => JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);

/** True if a name leads out of the folder, or means different things on different systems. */
function escapes(name: string): boolean {
  const inside = name.endsWith('/') ? name.slice(0, -1) : name;
  return (
    /[\\\0]|^[A-Za-z]:/.test(name) ||
    inside.split('/').some((step) => step === '' || step === '.' || step === '..')
  );
}

function refuseUnreadable(label: string, { name, flags, method, stored, size }: Listed): void {
  if (escapes(name))
    throw new ModelFileError(
      `${label}: it holds a file named ${shown(name)}, which is no plain path inside it; a path has "/" between its folders, and neither "..", "." nor a drive. Get the zip again from where it was made, and don't unpack this one.`,
    );
  if ((flags & ENCRYPTED) !== 0) throw refused(label, `${name} is encrypted`);
  if (method !== STORED && method !== DEFLATED)
    throw refused(label, `${name} is compressed by method ${method}; stored and deflated files can be read`);
  if (method === STORED && stored !== size)
    throw damaged(label, `${name} is stored as it is and has ${size} bytes, but takes ${stored}`);
  if (method === DEFLATED && size > MOST_INFLATION * stored)
    throw damaged(label, `${name} is said to have ${size} bytes, more than ${stored} bytes can unpack to`);
}

function refuseSizes(label: string, entries: readonly Listed[], mostUnpacked: number): void {
  const unpacked = entries.reduce((sum, { method, size }) => (method === STORED ? sum : sum + size), 0);
  if (unpacked > mostUnpacked)
    throw refused(
      label,
      `it unpacks to ${bytesText(unpacked)} (${unpacked} bytes), and at most ${bytesText(mostUnpacked)} fit here`,
    );
}

/** Finds the bytes of each file by the headers before them. */
async function located(
  label: string,
  zip: OpenFile,
  listed: readonly Listed[],
  directoryAt: number,
): Promise<ZipEntry[]> {
  const inOrder = listed.map((entry, index) => ({ entry, index })).sort((a, b) => a.entry.at - b.entry.at);
  const names = new Set<string>();
  const found: ZipEntry[] = [];
  let window: { from: number; bytes: Uint8Array } = { from: 0, bytes: new Uint8Array() };
  const read = async (begin: number, length: number): Promise<DataView> => {
    if (begin < window.from || begin + length > window.from + window.bytes.length) {
      const end = Math.min(begin + Math.max(WINDOW, length), zip.size);
      const view = await part(label, zip, begin, Math.max(length, end - begin));
      window = { from: begin, bytes: new Uint8Array(view.buffer, view.byteOffset, view.byteLength) };
    }
    return viewOf(window.bytes.subarray(begin - window.from, begin - window.from + length));
  };
  for (const [place, { entry, index }] of inOrder.entries()) {
    const fixed = await read(entry.at, FILE_LENGTH);
    if (fixed.getUint32(0, true) !== FILE_RECORD)
      throw damaged(label, `${entry.name} is not where it should be`);
    const [nameLength, extraLength] = [fixed.getUint16(26, true), fixed.getUint16(28, true)];
    const length = FILE_LENGTH + nameLength + extraLength;
    const begin = entry.at + length;
    const limit = inOrder[place + 1]?.entry.at ?? directoryAt;
    if (begin + entry.stored > limit)
      throw damaged(
        label,
        `${entry.name} goes on to byte ${begin + entry.stored}, and at byte ${limit} something else begins`,
      );
    compare(label, entry, await read(entry.at, length), nameLength, extraLength);
    if (names.has(entry.name)) throw damaged(label, `two files in it are named ${shown(entry.name)}`);
    names.add(entry.name);
    found[index] = { ...entry, begin };
  }
  return found;
}

/** Compares a file's own header with the directory. A header whose sizes follow the file may have none. */
function compare(
  label: string,
  entry: Listed,
  header: DataView,
  nameLength: number,
  extraLength: number,
): void {
  const { flags, ...rest } = commonAt(header, 0);
  const own = withLongSizes(rest, header, FILE_LENGTH + nameLength, extraLength);
  const name = textAt(header, FILE_LENGTH, nameLength);
  const behind = (flags & SIZES_BEHIND) !== 0;
  const differs = (key: 'sum' | 'stored' | 'size'): boolean =>
    own[key] !== entry[key] && !(behind && (own[key] === 0 || own[key] === ELSEWHERE_32));
  const wrong =
    name !== entry.name
      ? `is named ${shown(name)}`
      : own.method !== entry.method || (flags & ENCRYPTED) !== (entry.flags & ENCRYPTED)
        ? 'is packed otherwise'
        : differs('size') || differs('stored')
          ? `has ${own.size} bytes, packed ${own.stored}`
          : differs('sum')
            ? 'has another check sum'
            : null;
  if (wrong !== null)
    throw damaged(
      label,
      `its directory and the header before ${shown(entry.name)} differ: there it ${wrong}`,
    );
}
