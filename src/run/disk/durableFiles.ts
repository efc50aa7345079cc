/** Files that are on the disk when their writing is done: synced, and put in place by a rename; and what is said where one can't be written. */
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from '@rl-playground/base/errors';
import { type OpenFile, filePieces, type FileSum } from '@rl-playground/engine/parts';

/** The end of the name of a file or a folder that is being written, or taken away. */
export const DRAFT = '.tmp';
/** Opens no link. Windows has no such flag, and makes no links without a privilege. */
const NO_LINK = constants.O_NOFOLLOW ?? 0;

/** Something could not be written. The message names it, and why. */
export class WriteError extends Error {
  override readonly name = 'WriteError';
}

/** The codes of the system in words. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EDQUOT: 'the quota of this user is used up',
  EFBIG: 'a file may not become that large',
  EIO: 'the disk reports an error',
  ENOSPC: 'no space is left on the disk',
  EPERM: 'this is not permitted',
  EROFS: 'the disk can only be read',
};

/** The system's name of an error, such as `ENOSPC`; empty if it has none. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

function writeError(path: string, error: unknown): WriteError {
  const code = codeOf(error);
  const reason = REASONS[code];
  const why = reason === undefined ? messageOf(error) : `${reason} (${code})`;
  return new WriteError(`${path} could not be written: ${why}.`, { cause: error });
}

/** `work` on a path, whose failure says which. @throws WriteError */
export function writing<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw writeError(path, error);
  }
}

/** Has the disk keep what was written to a file, or the names in a folder. */
export function sync(path: string): void {
  // Windows has no handles of folders, and keeps names by itself.
  if (process.platform === 'win32' && statSync(path).isDirectory()) return;
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Writes a text in place of a file: at any moment there is the whole of the one or of the other. A device or a pipe is written to as it is.
 * @throws WriteError
 */
export function replaceFile(path: string, text: string): void {
  const there = statSync(path, { throwIfNoEntry: false });
  if (there && !there.isFile()) return writing(path, () => writeFileSync(path, text));
  const draft = path + DRAFT;
  writing(path, () => {
    mkdirSync(dirname(path), { recursive: true });
    // Of an earlier process, or a stranger's link to another file.
    rmSync(draft, { force: true });
    try {
      writeFileSync(draft, text, { flag: 'wx', flush: true });
      renameSync(draft, path);
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    }
    sync(dirname(path));
  });
}

/** Adds lines to a file, all of them or none. @throws WriteError */
export function appendLines(path: string, lines: string): void {
  writing(path, () => {
    const file = openSync(path, constants.O_WRONLY | constants.O_APPEND | NO_LINK);
    const { size } = fstatSync(file);
    try {
      appendFileSync(file, lines);
    } catch (error) {
      ftruncateSync(file, size);
      throw error;
    } finally {
      closeSync(file);
    }
  });
}

/** Writes a file piece by piece, syncs it, and puts it in place of one of that name when it is whole. @throws WriteError, and what reading throws */
export async function writeOpenFile(path: string, content: OpenFile): Promise<FileSum> {
  const named = (error: unknown): never => {
    throw writeError(path, error);
  };
  writing(path, () => mkdirSync(dirname(path), { recursive: true }));
  const draft = path + DRAFT;
  writing(path, () => rmSync(draft, { force: true }));
  const hash = createHash('sha256');
  const file = await open(draft, 'wx').catch(named);
  let whole = false;
  try {
    for await (const bytes of filePieces(content)) {
      hash.update(bytes);
      await file.writeFile(bytes).catch(named);
    }
    await file.sync().catch(named);
    whole = true;
  } finally {
    await file.close();
    if (!whole) rmSync(draft, { force: true });
  }
  writing(path, () => renameSync(draft, path));
  return { bytes: content.size, sha256: hash.digest('hex') };
}
