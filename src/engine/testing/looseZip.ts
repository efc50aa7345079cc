/** Zips with any headers that a test wants (PKWARE's APPNOTE, 4.3), which must be refused. */
import { crc32 } from '../hub/crc32.ts';

/** The fields of one of a file's two headers; those that are left out are true. */
interface Said {
  readonly name?: string;
  readonly flags?: number;
  readonly method?: number;
  readonly sum?: number;
  readonly stored?: number;
  readonly size?: number;
}

export interface LooseFile {
  readonly name: string;
  /** The bytes in the zip, already packed if `method` says so. */
  readonly bytes: Uint8Array;
  readonly method?: number;
  /** The size of the unpacked file, and its CRC-32; by default those of `bytes`. */
  readonly size?: number;
  readonly sum?: number;
  readonly inHeader?: Said;
  readonly inDirectory?: Said;
  /** The offset in the directory, in place of the true one. The header and bytes of the file are left out. */
  readonly at?: number;
}

const words = (...values: readonly number[]): number[] =>
  values.flatMap((value) => [0, 8, 16, 24].map((shift) => (value >>> shift) & 0xff));
const short = (...values: readonly number[]): number[] =>
  values.flatMap((value) => [value & 0xff, (value >>> 8) & 0xff]);

function common(file: LooseFile, said: Said): { name: Uint8Array; fields: number[] } {
  const { flags = 0, method = file.method ?? 0, sum = file.sum ?? crc32(file.bytes) } = said;
  const { stored = file.bytes.length, size = file.size ?? file.bytes.length } = said;
  const name = new TextEncoder().encode(said.name ?? file.name);
  return {
    name,
    fields: [...short(20, flags, method, 0, 33), ...words(sum, stored, size), ...short(name.length, 0)],
  };
}

/** `count` is the number of files that the end of the zip states. */
export function looseZip(files: readonly LooseFile[], count = files.length): Uint8Array<ArrayBuffer> {
  const parts: (Uint8Array | number[])[] = [];
  const directory: (Uint8Array | number[])[] = [];
  const lengthOf = (all: readonly (Uint8Array | number[])[]): number =>
    all.reduce((sum, { length }) => sum + length, 0);
  for (const file of files) {
    const at = file.at ?? lengthOf(parts);
    if (file.at === undefined) {
      const { name, fields } = common(file, file.inHeader ?? {});
      parts.push(words(0x04034b50), fields, name, file.bytes);
    }
    const { name, fields } = common(file, file.inDirectory ?? {});
    directory.push(words(0x02014b50), short(20), fields, short(0, 0, 0), words(0, at), name);
  }
  const begin = lengthOf(parts);
  const length = lengthOf(directory);
  const end = [...words(0x06054b50), ...short(0, 0, count, count), ...words(length, begin), ...short(0)];
  const bytes = new Uint8Array(begin + length + end.length);
  let at = 0;
  for (const part of [...parts, ...directory, end]) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
