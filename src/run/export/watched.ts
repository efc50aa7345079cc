/** Files whose reading is watched: how far it is, and whether it is still wanted. */
import type { OpenFile } from '@rl-playground/engine/parts';

export interface WatchOptions {
  readonly onProgress: (share: number) => void;
  /** Reading throws its reason once it aborts. */
  readonly signal: AbortSignal;
}

/** The same files, watched. `times` is the number of times that each will be read. */
export function watched(
  files: ReadonlyMap<string, OpenFile>,
  { times, onProgress, signal }: WatchOptions & { readonly times: number },
): Map<string, OpenFile> {
  const total = [...files.values()].reduce((sum, { size }) => sum + times * size, 0);
  let done = 0;
  const watch = (file: OpenFile): OpenFile => ({
    size: file.size,
    async read(begin, end) {
      signal.throwIfAborted();
      const bytes = await file.read(begin, end);
      done += bytes.byteLength;
      onProgress(total === 0 ? 1 : Math.min(1, done / total));
      return bytes;
    },
    ...(file.parts && { parts: file.parts.map(watch) }),
  });
  return new Map([...files].map(([name, file]) => [name, watch(file)]));
}
