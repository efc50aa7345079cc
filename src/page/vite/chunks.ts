/** The files of code among all files of a finished build. */
import type { Rolldown } from 'vite';

/** Returns the files of code by their names. */
export function chunksOf(bundle: Rolldown.OutputBundle): Map<string, Rolldown.OutputChunk> {
  return new Map(
    Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file] as const] : [])),
  );
}
