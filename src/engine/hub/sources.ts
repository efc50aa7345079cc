/** The places that a model's files come from. */
import { z } from 'zod';
import { messageOf } from '@rl-playground/base/errors';
import { BlobOfPieces } from '@rl-playground/base/blobOfPieces';
import { openBlob, openBytes } from './openFiles.ts';
import { bodyOf, bytesOf, MOST_JSON_BYTES } from './remote/answerBody.ts';
import { ModelFileError, type ModelFiles, type OpenFile, type OpenOptions } from './types.ts';

/** Files that can be listed, by name. */
export function listedFiles(label: string, files: ReadonlyMap<string, OpenFile>): ModelFiles {
  return {
    label,
    names: [...files.keys()],
    open: (name, options) => {
      options?.signal?.throwIfAborted();
      const file = files.get(name) ?? null;
      if (file) options?.onProgress?.(file.size, file.size);
      return Promise.resolve(file);
    },
  };
}

const mapped = <T>(
  contents: ReadonlyMap<string, T>,
  open: (content: T, name: string) => OpenFile,
): ReadonlyMap<string, OpenFile> =>
  new Map([...contents].map(([name, content]) => [name, open(content, name)]));

/** Files that are in memory already, such as the contents of a zip. */
export function filesInMemory(label: string, contents: ReadonlyMap<string, Uint8Array>): ModelFiles {
  return listedFiles(label, mapped(contents, openBytes));
}

/** Files of the browser's by name, such as those that a person dropped. */
export function filesInBlobs(label: string, blobs: ReadonlyMap<string, Blob>): ModelFiles {
  return listedFiles(label, mapped(blobs, openBlob));
}

/** The files of a folder that was chosen as a whole, by the paths in it. */
export function filesOfFolder(label: string, files: readonly File[]): ModelFiles {
  const inFolder = ({ webkitRelativePath }: File): string =>
    webkitRelativePath.slice(webkitRelativePath.indexOf('/') + 1);
  return filesInBlobs(label, new Map(files.map((file) => [inFolder(file), file])));
}

/** The files in a folder, by their names in it. */
export function filesUnder(files: ModelFiles, folder: string): ModelFiles {
  const inside = files.names?.filter((name) => name.startsWith(`${folder}/`));
  return {
    label: `${files.label}: ${folder}`,
    ...(inside && { names: inside.map((name) => name.slice(folder.length + 1)) }),
    open: (name, options) => files.open(`${folder}/${name}`, options),
  };
}

/** All files except those with the names in `left`. */
export function filesExcept(files: ModelFiles, left: ReadonlySet<string>): ModelFiles {
  return {
    label: files.label,
    ...(files.names && { names: files.names.filter((name) => !left.has(name)) }),
    open: (name, options) => (left.has(name) ? Promise.resolve(null) : files.open(name, options)),
  };
}

/** Returns the answer to an address that was asked for already, or undefined if it was not. */
export type AnswerAhead = (url: string) => Promise<Response> | undefined;

/**
 * A folder under a base URL (absolute, or relative to the page). A 404 means that a file does not exist, and so does a web page in place
 * of a model file, because static hosts with a single-page fallback answer 200 to everything. `answerAhead` has the answers that were
 * asked for before.
 */
export function filesAtUrl(
  label: string,
  baseUrl: string,
  answerAhead: AnswerAhead = () => undefined,
): ModelFiles {
  const folder = baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`;
  return {
    label,
    open: async (name, options) => {
      try {
        return await download(`${folder}${name}`, { name, label, answerAhead }, options);
      } catch (error) {
        options?.signal?.throwIfAborted();
        if (error instanceof ModelFileError) throw error;
        throw new ModelFileError(
          `${label}: ${name} could not be fetched (${messageOf(error)}). Check the connection and try again.`,
        );
      }
    },
  };
}

const listingSchema = z.array(z.object({ name: z.string(), size: z.number().int().nonnegative() }));

/**
 * The files of a server that lists them with their sizes and answers ranges, as `src/cli/serveModel.ts` does. They are read from there,
 * and none is kept here.
 *
 * @throws ModelFileError if the server gives no list.
 */
export async function filesOnServer(label: string, address: string): Promise<ModelFiles> {
  const response = await fetch(address);
  const list = response.ok ? await bodyOf(response, label, MOST_JSON_BYTES, {}) : null;
  const listed = listingSchema.safeParse(list && JSON.parse(new TextDecoder().decode(list)));
  if (!listed.success)
    throw new ModelFileError(`${label}: ${address} answered ${response.status} and gave no list of files.`);
  const sizes = new Map(listed.data.map(({ name, size }) => [name, size]));
  const open = (size: number, name: string): OpenFile => ({
    size,
    read: (begin, end) => range(new URL(encodeURIComponent(name), address), begin, end, label),
  });
  return listedFiles(label, mapped(sizes, open));
}

async function range(url: URL, begin: number, end: number, label: string): Promise<Uint8Array> {
  if (begin === end) return new Uint8Array();
  const response = await fetch(url, { headers: { Range: `bytes=${begin}-${end - 1}` } });
  const bytes = await bytesOf(response, label, 0, end - begin + 1, {});
  if (response.status === 206 && bytes.byteLength === end - begin) return bytes;
  throw new ModelFileError(
    `${label}: the server answered ${response.status} with ${bytes.byteLength} bytes for bytes ${begin} to ${end} of ${url.pathname}; 206 with ${end - begin} is needed.`,
  );
}

async function download(
  url: string,
  { name, label, answerAhead }: { name: string; label: string; answerAhead: AnswerAhead },
  options: OpenOptions | undefined,
): Promise<OpenFile | null> {
  // A signal can't end a request that was made ahead.
  const response = await (options?.signal
    ? fetch(url, { signal: options.signal })
    : (answerAhead(url) ?? fetch(url)));
  if (response.status === 404 || response.status === 410) {
    await response.body?.cancel();
    return null;
  }
  if (!response.ok) {
    await response.body?.cancel();
    throw new ModelFileError(
      `${label}: the server answered ${response.status} ${response.statusText} for ${name}; 200 is needed. Try again later or choose another model.`,
    );
  }
  // Under a content encoding the length counts compressed bytes and says nothing about what arrives here.
  const encoded = response.headers.get('content-encoding') !== null;
  const declared = encoded ? 0 : Number(response.headers.get('content-length') ?? 0);
  const blob = await collect(response, declared, options?.onProgress);
  if (declared > 0 && blob.size !== declared)
    throw new ModelFileError(
      `${label}: ${blob.size} bytes of ${name} arrived, ${declared} were announced. Try again.`,
    );
  const file = openBlob(blob);
  return looksLikeWebPage(await file.read(0, Math.min(64, file.size))) ? null : file;
}

/** Reads a body with progress. `total` is 0 if the length is not known. */
async function collect(
  response: Response,
  total: number,
  onProgress: ((done: number, total: number) => void) | undefined,
): Promise<Blob> {
  const pieces = new BlobOfPieces();
  const reader = response.body?.getReader();
  while (reader !== undefined) {
    const { value, done } = await reader.read();
    if (done) break;
    pieces.add(value);
    onProgress?.(pieces.size, total);
  }
  return pieces.blob();
}

/** Tells a web page by its first bytes. */
function looksLikeWebPage(bytes: Uint8Array): boolean {
  const start = new TextDecoder().decode(bytes).trimStart().toLowerCase();
  return start.startsWith('<!doctype html') || start.startsWith('<html');
}
