/**
 * Writes zips as streams. Files are stored without compression, because weights don't compress, and read piece by piece while the zip is
 * written, so an archive is never in memory as a whole. Headers are complete and no numbers follow a file's bytes, so that every reader
 * can read them, even one of streams. Numbers beyond 32 bits, and more than 65,534 files, are written as ZIP64.
 */
import { breathe } from '../backend/eventLoop.ts';
import { crc32 } from './crc32.ts';
import { ModelFileError, type OpenFile } from './types.ts';
import * as zip from './zipFormat.ts';

/** The bytes of a file that are read at a time: some 15 ms of work on the page's thread, most of it for the check sum. */
const PIECE_BYTES = 2 ** 20;
/** The versions of the format: folders and stored files, ZIP64. */
const VERSION = 20;
const VERSION_64 = 45;
/** The date of all files, 1980-01-01, the first day that zips know. A fixed time makes equal files equal zips. */
const DATE = (1 << 5) | 1;

interface Entry {
  readonly name: Uint8Array;
  readonly flags: number;
  readonly file: OpenFile;
  /** The offset of its header. */
  readonly at: number;
  /** The numbers for which its headers have no room, in the format's order: those of the header before it, and those of the directory. */
  readonly longInHeader: readonly number[];
  readonly longInDirectory: readonly number[];
}

interface Layout {
  readonly entries: readonly Entry[];
  readonly directoryAt: number;
  readonly directoryLength: number;
  readonly isLong: boolean;
}

const tooLong = (value: number): boolean => value >= zip.ELSEWHERE_32;
const extraLength = (long: readonly number[]): number => (long.length > 0 ? 4 + 8 * long.length : 0);

function layoutOf(files: ReadonlyMap<string, OpenFile>): Layout {
  const encoder = new TextEncoder();
  const entries: Entry[] = [];
  let at = 0;
  let directoryLength = 0;
  for (const [path, file] of files) {
    const name = encoder.encode(path);
    const { size } = file;
    // A file's own header has both sizes there or neither.
    const longInHeader = tooLong(size) ? [size, size] : [];
    const longInDirectory = [...longInHeader, ...(tooLong(at) ? [at] : [])];
    const flags = name.length === path.length ? 0 : zip.UTF8_NAME;
    entries.push({ name, flags, file, at, longInHeader, longInDirectory });
    at += zip.FILE_LENGTH + name.length + extraLength(longInHeader) + size;
    directoryLength += zip.DIRECTORY_LENGTH + name.length + extraLength(longInDirectory);
  }
  const isLong = entries.length >= zip.ELSEWHERE_16 || tooLong(at) || tooLong(directoryLength);
  return { entries, directoryAt: at, directoryLength, isLong };
}

/** The number of bytes of the zip that `zipPieces` makes of these files. */
export function zipSize(files: ReadonlyMap<string, OpenFile>): number {
  const { directoryAt, directoryLength, isLong } = layoutOf(files);
  return (
    directoryAt + directoryLength + (isLong ? zip.END_LENGTH_64 + zip.LOCATOR_64_LENGTH : 0) + zip.END_LENGTH
  );
}

/** Yields the bytes of a zip of these files, by path and in their order. Each file is read twice. */
export async function* zipPieces(files: ReadonlyMap<string, OpenFile>): AsyncGenerator<Uint8Array> {
  const layout = layoutOf(files);
  const sums: number[] = [];
  for (const entry of layout.entries) {
    let sum = 0;
    for await (const bytes of filePieces(entry.file)) sum = crc32(bytes, sum);
    sums.push(sum);
    yield fileHeader(entry, sum);
    yield* filePieces(entry.file);
  }
  for (const [index, entry] of layout.entries.entries()) yield directoryHeader(entry, sums[index] ?? 0);
  yield endOf(layout);
}

/** Yields a file's bytes in order, at most `PIECE_BYTES` at a time. The event loop gets a turn after each piece. */
export async function* filePieces(file: OpenFile): AsyncGenerator<Uint8Array> {
  let sinceTurn = 0;
  for (const part of file.parts ?? [file])
    for (let begin = 0; begin < part.size; begin += PIECE_BYTES) {
      if (sinceTurn >= PIECE_BYTES) {
        await breathe();
        sinceTurn = 0;
      }
      const bytes = await wholePiece(part, begin, Math.min(begin + PIECE_BYTES, part.size));
      sinceTurn += bytes.byteLength;
      yield bytes;
    }
}

/** @throws ModelFileError if a file has changed meanwhile. */
async function wholePiece(file: OpenFile, begin: number, end: number): Promise<Uint8Array> {
  const bytes = await file.read(begin, end);
  if (bytes.byteLength === end - begin) return bytes;
  throw new ModelFileError(
    `A file of ${file.size} bytes gave ${bytes.byteLength} bytes for bytes ${begin} to ${end}; nothing whole can be saved of it.`,
  );
}

/** Writes numbers one behind the other, little-endian. */
class HeaderBytes {
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(length: number) {
    const buffer = new ArrayBuffer(length);
    this.bytes = new Uint8Array(buffer);
    this.#view = new DataView(buffer);
  }

  words16(...values: readonly number[]): this {
    for (const value of values) {
      this.#view.setUint16(this.#at, Math.min(value, zip.ELSEWHERE_16), true);
      this.#at += 2;
    }
    return this;
  }

  words32(...values: readonly number[]): this {
    for (const value of values) {
      this.#view.setUint32(this.#at, Math.min(value, zip.ELSEWHERE_32), true);
      this.#at += 4;
    }
    return this;
  }

  words64(...values: readonly number[]): this {
    for (const value of values) {
      this.#view.setBigUint64(this.#at, BigInt(value), true);
      this.#at += 8;
    }
    return this;
  }

  text(bytes: Uint8Array): this {
    this.bytes.set(bytes, this.#at);
    this.#at += bytes.length;
    return this;
  }

  extra(long: readonly number[]): this {
    return long.length === 0 ? this : this.words16(zip.EXTRA_64, 8 * long.length).words64(...long);
  }
}

/** Writes the fields that both headers of a file have. Sizes that are elsewhere are marked by their largest value. */
function common(
  record: HeaderBytes,
  { name, flags, file }: Entry,
  sum: number,
  long: readonly number[],
): HeaderBytes {
  return record
    .words16(long.length > 0 ? VERSION_64 : VERSION, flags, zip.STORED, 0, DATE)
    .words32(sum, file.size, file.size)
    .words16(name.length, extraLength(long));
}

function fileHeader(entry: Entry, sum: number): Uint8Array {
  const { name, longInHeader: long } = entry;
  const record = new HeaderBytes(zip.FILE_LENGTH + name.length + extraLength(long)).words32(zip.FILE_RECORD);
  return common(record, entry, sum, long).text(name).extra(long).bytes;
}

function directoryHeader(entry: Entry, sum: number): Uint8Array {
  const { name, at, longInDirectory: long } = entry;
  const record = new HeaderBytes(zip.DIRECTORY_LENGTH + name.length + extraLength(long))
    .words32(zip.DIRECTORY_RECORD)
    .words16(long.length > 0 ? VERSION_64 : VERSION);
  // The words mean: no comment, the first disk, no kind and no rights.
  return common(record, entry, sum, long).words16(0, 0, 0).words32(0, at).text(name).extra(long).bytes;
}

function endOf({ entries, directoryAt, directoryLength, isLong }: Layout): Uint8Array {
  const count = entries.length;
  const record = new HeaderBytes(zip.END_LENGTH + (isLong ? zip.END_LENGTH_64 + zip.LOCATOR_64_LENGTH : 0));
  if (isLong)
    record
      .words32(zip.END_RECORD_64)
      .words64(zip.END_LENGTH_64 - 12)
      .words16(VERSION_64, VERSION_64)
      .words32(0, 0)
      .words64(count, count, directoryLength, directoryAt)
      .words32(zip.LOCATOR_64, 0)
      .words64(directoryAt + directoryLength)
      .words32(1);
  return record
    .words32(zip.END_RECORD)
    .words16(0, 0, count, count)
    .words32(directoryLength, directoryAt)
    .words16(0).bytes;
}
