/** The places that a model's files come from. */
import { messageOf } from '@rl-playground/base/errors';
import { BlobOfPieces } from '@rl-playground/base/blobOfPieces';
import { openBlob, openBytes } from './openFiles.ts';
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

const mapped = <T>(contents: ReadonlyMap<string, T>, open: (content: T) => OpenFile) =>
  new Map([...contents].map(([name, content]) => [name, open(content)]));

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
