/** Zip archives as maps from path to bytes. */
import { unzip, zip } from 'fflate';
import { messageOf } from '../../base/errors.ts';
import { CheckpointError } from './checkpointParts.ts';

/** Keeps a hostile archive from filling the memory. */
const LARGEST_CONTENT = 16 * 1024 ** 3;
/** A fixed time makes equal states equal files. Local time, because zips know no zones. */
const FILE_TIME = new Date(1980, 0, 1);

/** Stores the files without compression: weights don't compress, and storing keeps the page responsive. */
export function packArchive(files: ReadonlyMap<string, Uint8Array>): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    zip(Object.fromEntries(files), { level: 0, mtime: FILE_TIME }, (error, bytes) => {
      if (error) reject(error);
      else resolve(bytes);
    });
  });
}

/**
 * Reads a zip; if everything lies in one top-level folder, that folder is taken for the root. What macOS adds
 * is left out.
 * @throws CheckpointError for anything that is no whole zip.
 */
export async function unpackArchive(bytes: Uint8Array, label: string): Promise<Map<string, Uint8Array>> {
  if (bytes[0] !== 0x50 || bytes[1] !== 0x4b)
    throw new CheckpointError(
      `${label} is no zip file: it has ${bytes.byteLength} bytes and does not begin with "PK". Choose a checkpoint that was downloaded from this page, or a zipped Hugging Face model folder.`,
    );
  const contents = await extract(bytes, label);
  const names = [...contents.keys()];
  const folder = names[0]?.split('/')[0] ?? '';
  if (!names.every((name) => name.startsWith(`${folder}/`))) return contents;
  return new Map([...contents].map(([name, data]) => [name.slice(folder.length + 1), data]));
}

function extract(bytes: Uint8Array, label: string): Promise<Map<string, Uint8Array>> {
  let total = 0;
  let refused = false;
  const damaged = (error: unknown) =>
    new CheckpointError(
      `${label} can't be unpacked (${messageOf(error)}): its ${bytes.byteLength} bytes are no whole zip file. It is truncated or damaged; download it again.`,
    );
  return new Promise((resolve, reject) => {
    try {
      unzip(
        bytes,
        {
          filter: ({ name, originalSize }) => {
            if (name.endsWith('/') || name.startsWith('__MACOSX/') || name.endsWith('.DS_Store'))
              return false;
            total += originalSize;
            refused ||= total > LARGEST_CONTENT;
            return !refused;
          },
        },
        (error, contents) => {
          if (error) reject(damaged(error));
          else if (refused)
            reject(new CheckpointError(`${label} unpacks to more than ${LARGEST_CONTENT} bytes, the limit.`));
          else resolve(new Map(Object.entries(contents)));
        },
      );
    } catch (error) {
      reject(damaged(error));
    }
  });
}
