/** Files that are read piece by piece, wherever their bytes are. */
import type { OpenFile } from './types.ts';

export function openBytes(bytes: Uint8Array): OpenFile {
  return {
    size: bytes.byteLength,
    read: (begin, end) => Promise.resolve(bytes.subarray(begin, end)),
  };
}

/** Opens a file of the browser's, which chooses where it keeps the contents: large ones on disk. */
export function openBlob(blob: Blob): OpenFile {
  return {
    size: blob.size,
    read: async (begin, end) => new Uint8Array(await blob.slice(begin, end).arrayBuffer()),
  };
}

/** Joins files to one, each behind the previous one. */
export function joined(parts: readonly OpenFile[]): OpenFile {
  let size = 0;
  const placed = parts.map((file) => {
    const first = size;
    size += file.size;
    return { file, first, end: size };
  });
  return {
    size,
    parts,
    async read(begin, end) {
      const within = placed.filter((part) => part.first < end && part.end > begin);
      const read = ({ file, first, end: last }: (typeof placed)[number]): Promise<Uint8Array> =>
        file.read(Math.max(begin, first) - first, Math.min(end, last) - first);
      const [only] = within;
      if (only && within.length === 1) return read(only);
      const bytes = new Uint8Array(end - begin);
      for (const part of within) bytes.set(await read(part), Math.max(begin, part.first) - begin);
      return bytes;
    },
  };
}

/** The zeros behind `size` bytes up to a multiple of `alignment`; no file where none are needed. */
export function paddingBehind(size: number, alignment: number): OpenFile[] {
  const gap = (alignment - (size % alignment)) % alignment;
  return gap > 0 ? [openBytes(new Uint8Array(gap))] : [];
}

/** All of a file's bytes. */
export function contentOf(file: OpenFile): Promise<Uint8Array> {
  return file.read(0, file.size);
}
