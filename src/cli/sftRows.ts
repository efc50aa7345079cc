/** Reads the rows of a run's warm start from the disk of the person who starts it. */
import { basename } from 'node:path';
import type { RunConfig } from '@rl-playground/run/settings';
import { orBadInput } from '@rl-playground/base/errors';
import { readSftRows, type SftFile, wantedFile } from '@rl-playground/run/sft';
import { MOST_BYTES } from '@rl-playground/bridges/dataset';
import { readText } from '@rl-playground/run/disk';

export interface SftRows {
  /** The settings, which name the file without its folders, as in a page that was given it. */
  readonly config: RunConfig;
  /** The rows; null if the warm start learns from demonstrations, or if there is none. */
  readonly file: SftFile | null;
}

/**
 * Turns settings whose `warmStartData` is a path into settings with a name, and reads the rows of the file.
 *
 * @throws BadInput if the file can't be read, SftRowsError if it can't be learned from.
 */
export function readSftFiles(config: RunConfig): SftRows {
  const path = wantedFile(config);
  if (path === null) return { config, file: null };
  const name = basename(path);
  const text = orBadInput(
    () => readText(path, MOST_BYTES),
    (why) =>
      `warmStartData: the file "${path}" can't be read (${why}). Give the path of a JSONL file, or "demonstrations".`,
  );
  return { config: { ...config, warmStartData: name }, file: { name, rows: readSftRows(text, name) } };
}
