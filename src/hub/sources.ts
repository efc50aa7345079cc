/** Places that a model's files come from. */
import { messageOf } from '../base/errors.ts';
import { ModelFileError, type ModelFiles } from './types.ts';

type ReadOptions = Parameters<ModelFiles['read']>[1];

/** Files that are in memory already, such as the contents of a zip. */
export function filesInMemory(label: string, contents: ReadonlyMap<string, Uint8Array>): ModelFiles {
  return {
    label,
    names: [...contents.keys()],
    read: (name, options) => {
      options?.signal?.throwIfAborted();
      const bytes = contents.get(name) ?? null;
      if (bytes !== null) options?.onProgress?.(bytes.byteLength, bytes.byteLength);
      return Promise.resolve(bytes);
    },
  };
}

/**
 * A folder under a base URL (absolute, or relative to the page). A 404 counts as "does not exist", and so does a web page sent
 * in place of a model file: static hosts with a single-page fallback answer 200 to everything.
 */
export function filesAtUrl(label: string, baseUrl: string): ModelFiles {
  const folder = baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`;
  return {
    label,
    read: async (name, options) => {
      try {
        return await download(`${folder}${name}`, name, label, options);
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
  name: string,
  label: string,
  options: ReadOptions,
): Promise<Uint8Array | null> {
  const response = await fetch(url, options?.signal ? { signal: options.signal } : {});
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
  const bytes = await collect(response, declared, options?.onProgress);
  if (declared > 0 && bytes.byteLength !== declared)
    throw new ModelFileError(
      `${label}: ${bytes.byteLength} bytes of ${name} arrived, ${declared} were announced. Try again.`,
    );
  return looksLikeWebPage(bytes) ? null : bytes;
}

/** `total` is 0 where the length is not known. */
async function collect(
  response: Response,
  total: number,
  onProgress: ((done: number, total: number) => void) | undefined,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let done = 0;
  const reader = response.body?.getReader();
  while (reader !== undefined) {
    const { value, done: ended } = await reader.read();
    if (ended) break;
    chunks.push(value);
    done += value.byteLength;
    onProgress?.(done, total);
  }
  const bytes = new Uint8Array(done);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}

function looksLikeWebPage(bytes: Uint8Array): boolean {
  const start = new TextDecoder().decode(bytes.subarray(0, 64)).trimStart().toLowerCase();
  return start.startsWith('<!doctype html') || start.startsWith('<html');
}
