/**
 * The files of a zip, read from within it. A model's weights are stored without compression, and take no memory here. Archives and files
 * beyond 4 GiB are ZIP64. A file's bytes are returned only after all of them were checked against their CRC-32.
 */
import { breathe } from '../backend/eventLoop.ts';
import { BlobOfPieces } from '@rl-playground/base/blobOfPieces';
import { crc32 } from './crc32.ts';
import { messageOf } from '@rl-playground/base/errors';
import { ModelFileError, type ModelFiles, type OpenFile, type OpenOptions } from './types.ts';
import { openBlob } from './openFiles.ts';
import { damaged, zipEntries, type ZipEntry } from './zipDirectory.ts';
import { STORED } from './zipFormat.ts';

/** The most bytes that the compressed files of a zip may take unpacked, on any machine. */
export const MOST_UNPACKED = 16 * 2 ** 30;
/** The bytes of a file that are read at a time: some 10 ms of work on the page's thread. */
const PIECE_BYTES = 4 * 2 ** 20;

/**
 * Reads the archive's directory, and no file. `mostUnpacked` is the limit in bytes for its compressed files, if it is below
 * `MOST_UNPACKED`.
 *
 * @throws ModelFileError if the file is no whole zip, contradicts itself, or unpacks to more.
 */
export async function filesInZip(label: string, zip: OpenFile, mostUnpacked = Infinity): Promise<ModelFiles> {
  const [first, second] = await zip.read(0, Math.min(2, zip.size));
  if (first !== 0x50 || second !== 0x4b)
    throw new ModelFileError(
      `${label} is no zip file: it has ${zip.size} bytes and does not begin with "PK". Choose a checkpoint of RL Playground, a zipped Hugging Face model folder, or a GGUF file.`,
    );
  const all = await zipEntries(label, zip, Math.min(mostUnpacked, MOST_UNPACKED));
  const entries = withoutTopFolder(all.filter(({ name }) => isContent(name)));
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  /** Files that were checked and unpacked. Each is kept, because weights are opened for every piece that is read. */
  const opened = new Map<string, Promise<OpenFile>>();
  return {
    label,
    names: [...byName.keys()],
    open: async (name, options) => {
      options?.signal?.throwIfAborted();
      const entry = byName.get(name);
      if (entry === undefined) return null;
      const opening = opened.get(name) ?? openEntry(label, zip, entry, options);
      opened.set(name, opening);
      // An opening that was broken off is repeated the next time.
      opening.catch(() => opened.delete(name));
      const file = await opening;
      options?.onProgress?.(file.size, file.size);
      return file;
    },
  };
}

/** False for folders and for the files that macOS adds. */
function isContent(name: string): boolean {
  return !name.endsWith('/') && !name.startsWith('__MACOSX/') && !name.endsWith('.DS_Store');
}

/** Takes a single folder at the top that contains everything as the root. */
function withoutTopFolder(entries: readonly ZipEntry[]): readonly ZipEntry[] {
  const folder = `${entries[0]?.name.split('/')[0] ?? ''}/`;
  if (!entries.every(({ name }) => name.startsWith(folder))) return entries;
  return entries.map((entry) => ({ ...entry, name: entry.name.slice(folder.length) }));
}

function openEntry(
  label: string,
  zip: OpenFile,
  entry: ZipEntry,
  options: OpenOptions | undefined,
): Promise<OpenFile> {
  return entry.method === STORED ? stored(label, zip, entry, options) : inflated(label, zip, entry);
}

function refuseSum(label: string, { name, sum }: ZipEntry, found: number): void {
  if (found === sum) return;
  const shown = (value: number): string => value.toString(16).padStart(8, '0');
  throw damaged(label, `the bytes of ${name} have the CRC-32 ${shown(found)}, and ${shown(sum)} is needed`);
}

async function stored(
  label: string,
  zip: OpenFile,
  entry: ZipEntry,
  options: OpenOptions | undefined,
): Promise<OpenFile> {
  const { begin, size } = entry;
  let sum = 0;
  for (let done = 0; done < size;) {
    options?.signal?.throwIfAborted();
    const bytes = await zip.read(begin + done, begin + Math.min(done + PIECE_BYTES, size));
    if (bytes.byteLength === 0) throw damaged(label, `${entry.name} ended after ${done} of ${size} bytes`);
    sum = crc32(bytes, sum);
    done += bytes.byteLength;
    options?.onProgress?.(done, size);
    if (done < size) await breathe();
  }
  refuseSum(label, entry, sum);
  return { size, read: (from, to) => zip.read(begin + from, begin + to) };
}

async function inflated(label: string, zip: OpenFile, entry: ZipEntry): Promise<OpenFile> {
  const { name, begin, size } = entry;
  const bytes = await zip.read(begin, begin + entry.stored);
  const reader = new Blob([new Uint8Array(bytes)])
    .stream()
    .pipeThrough(new DecompressionStream('deflate-raw'))
    .getReader();
  const pieces = new BlobOfPieces();
  let sum = 0;
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      pieces.add(value);
      sum = crc32(value, sum);
      if (pieces.size > size) throw new Error(`more than the ${size} bytes that were announced come out`);
    }
    if (pieces.size !== size) throw new Error(`${pieces.size} bytes came out, ${size} were announced`);
  } catch (error) {
    await reader.cancel().catch(() => {});
    throw damaged(label, `${name} can't be unpacked (${messageOf(error) || 'no reason given'})`);
  }
  refuseSum(label, entry, sum);
  return openBlob(pieces.blob());
}
