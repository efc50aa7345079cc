/** Text files of this machine, refused by their size before anything of them is read. */
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { bytesText } from '@rl-playground/base/text';

/** The limit of what a person writes by hand (settings, grids, limits), and of a run's records beside its log. */
export const MOST_SETTINGS_BYTES = 16 * 2 ** 20;
/** The log of a run: some 100,000 steps. */
export const MOST_LOG_BYTES = 256 * 2 ** 20;

/** Reads a pipe, which has no size before it is read: `--config <(…)`. */
function pipedBytes(file: number, path: string, most: number): Buffer {
  const chunks: Buffer[] = [];
  let length = 0;
  for (;;) {
    const chunk = Buffer.alloc(2 ** 16);
    const read = readSync(file, chunk);
    if (read === 0) return Buffer.concat(chunks);
    length += read;
    if (length > most)
      throw new Error(`${path} gave more than the ${bytesText(most)} that are read of such a file.`);
    chunks.push(chunk.subarray(0, read));
  }
}

/** @throws Error where so many bytes are more than are read of this file. */
export function checkSize(path: string, bytes: number, most: number): void {
  if (bytes > most)
    throw new Error(
      `${path} has ${bytesText(bytes)}, and at most ${bytesText(most)} of such a file are read.`,
    );
}

/** The text of a file or a pipe in UTF-8. @throws Error where it can't be read, is a folder, or has more than `most` bytes. */
export function readText(path: string, most: number = MOST_SETTINGS_BYTES): string {
  const found = statSync(path);
  if (found.isDirectory()) throw new Error(`${path} is no file.`);
  checkSize(path, found.size, most);
  const file = openSync(path, 'r');
  try {
    return (found.isFile() ? readFileSync(file) : pipedBytes(file, path, most)).toString();
  } finally {
    closeSync(file);
  }
}
