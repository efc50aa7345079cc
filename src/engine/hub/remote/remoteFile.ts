/** A file on a server, which is read there by ranges. */
import { ModelFileError, type OpenFile } from '../types.ts';
import { bodyOf, bytesOf } from './answerBody.ts';
import { ask, withRetries, type Asking } from './request.ts';

export interface RemoteFile {
  readonly path: string;
  readonly url: string;
  /** The size in bytes. */
  readonly size: number;
  /** The hash in hexadecimal digits; null if the listing has none, as for files that are not in large file storage. */
  readonly sha256: string | null;
}

/** Returns bytes `begin` … `end` − 1 of a file, and no more of what the server sends. @throws ModelFileError */
export async function readRange(
  { url, path }: RemoteFile,
  begin: number,
  end: number,
  label: string,
  options: Asking,
): Promise<Uint8Array> {
  if (begin >= end) return new Uint8Array();
  return withRetries(
    `${label}: ${path}`,
    async () => {
      const what = `${label}: ${path}`;
      const response = await ask(what, url, { Range: `bytes=${begin}-${end - 1}` }, options);
      // Small files may come whole.
      const bytes =
        response === null
          ? new Uint8Array()
          : await (response.status === 200
              ? bytesOf(response, what, begin, end, options)
              : bodyOf(response, what, end - begin, options));
      if (bytes.byteLength === end - begin) return bytes;
      throw new ModelFileError(
        `${label}: ${bytes.byteLength} bytes came for bytes ${begin} to ${end} of ${path} (${response?.status ?? 404}); ${end - begin} are needed. The file has changed or the server answers no ranges; look the model up again.`,
      );
    },
    options,
  );
}

/** The bytes at the start of a file that are read first: headers of weights are read in two steps, and both fit. */
const HEAD_BYTES = 64 * 1024;

/** Opens the file, which is read as needed. Its first 64 kB are fetched once. */
export function openRemote(file: RemoteFile, label: string, asking: Asking): OpenFile {
  const { size } = file;
  let head: Promise<Uint8Array> | null = null;
  return {
    size,
    async read(begin, end) {
      if (end > Math.min(HEAD_BYTES, size)) return readRange(file, begin, end, label, asking);
      head ??= readRange(file, 0, Math.min(HEAD_BYTES, size), label, asking);
      return (await head).subarray(begin, end);
    },
  };
}
