/**
 * Downloads a file from a server to this machine by ranges. Each range is kept when it is whole, so that a download that broke off goes
 * on where it was. The file's SHA-256 is computed as it arrives.
 */
import { createSHA256, type IHasher } from 'hash-wasm';
import { base64Of, bytesOfBase64 } from '@rl-playground/base/base64';
import { bytesText, grouped } from '@rl-playground/base/text';
import { ModelFileError } from '../types.ts';
import { chunksOf } from './answerBody.ts';
import type { RemoteFile } from './remoteFile.ts';
import { ask, BusyError, withRetries, type Asking } from './request.ts';

/** The bytes that are asked for at a time. A range is kept when it is whole. */
export const RANGE_BYTES = 16 * 2 ** 20;

/** The progress of a part of a file, which is kept beside it. */
export interface PartState {
  /** Bytes that are there and in the hash. */
  readonly done: number;
  /** The file's etag when it was begun; null if the server named none. */
  readonly etag: string | null;
  /** The state of SHA-256 after `done` bytes (`hash-wasm`), base64. */
  readonly hash: string;
}

/** Reads the text of a state; null if it is torn, or says more than is there. */
export function readPartState(text: string, there: number): PartState | null {
  try {
    const state = JSON.parse(text) as PartState;
    return Number.isInteger(state.done) && state.done <= there && typeof state.hash === 'string'
      ? state
      : null;
  } catch {
    return null;
  }
}

/** A file that is being written. */
export interface PartFile {
  /** The state of an earlier part; null if there is none. */
  readonly state: PartState | null;
  write(bytes: Uint8Array, at: number): void | Promise<void>;
  /** Flushes what was written to disk, then writes the state, so that a torn write counts as nothing. */
  keep(state: PartState): void | Promise<void>;
  /** Gives the file, which is whole, its own name. */
  finish(): Promise<void>;
  /** Deletes the part. */
  discard(): Promise<void>;
  close(): Promise<void>;
}

export interface DownloadOptions extends Asking {
  /** Receives the bytes of the file that have arrived. */
  readonly onBytes?: (done: number) => void;
  readonly rangeBytes?: number;
}

/**
 * Fetches what is missing of `file`, and closes `part` in any case.
 *
 * @throws ModelFileError if the server refuses, the file has another hash or size than was listed, or the disk is full; the signal's
 * reason if it aborts. Whole ranges are kept, unless the hash was wrong.
 */
export async function downloadFile(
  file: RemoteFile,
  part: PartFile,
  label: string,
  options: DownloadOptions = {},
): Promise<void> {
  const what = `${label}: ${file.path}`;
  const { rangeBytes = RANGE_BYTES } = options;
  const hasher = await createSHA256();
  let { done, etag } = begun(part.state, file.size, hasher);
  const startOver = (): void => {
    [done, etag] = [0, null];
    hasher.init();
  };
  const keep = async (): Promise<void> => part.keep({ done, etag, hash: base64Of(hasher.save()) });
  options.onBytes?.(done);
  try {
    while (done < file.size) {
      let before = done;
      await withRetries(
        what,
        async () => {
          before = done;
          const end = Math.min(done - (done % rangeBytes) + rangeBytes, file.size);
          const response = await range(file, what, done, end, etag, options);
          if (response === 'changed') {
            startOver();
            await keep();
            throw new BusyError('the file has changed on the server');
          }
          etag ??= response.headers.get('etag');
          for await (const bytes of chunksOf(response, what, end - done, options)) {
            await writing(what, () => part.write(bytes, done));
            hasher.update(bytes);
            done += bytes.byteLength;
            options.onBytes?.(done);
          }
          if (done < end)
            throw new BusyError(`the connection ended after ${grouped(done)} of ${grouped(file.size)} bytes`);
        },
        options,
        () => done > before,
      );
      await writing(what, keep);
    }
    const found = hasher.digest('hex');
    if (file.sha256 !== null && found !== file.sha256) {
      await part.discard();
      throw new ModelFileError(
        `${what}: the SHA-256 of what arrived is ${found}, listed is ${file.sha256}. The file was damaged on the way or has changed; load it again.`,
      );
    }
    await part.finish();
  } finally {
    await part.close();
  }
}

/** The bytes of a part that can be continued. The hasher goes on from there. */
function begun(
  state: PartState | null,
  size: number,
  hasher: IHasher,
): { done: number; etag: string | null } {
  hasher.init();
  if (state === null || state.done > size) return { done: 0, etag: null };
  try {
    hasher.load(bytesOfBase64(state.hash));
    return { done: state.done, etag: state.etag };
  } catch {
    // The state is torn, or of another version.
    hasher.init();
    return { done: 0, etag: null };
  }
}

/** Fetches bytes `begin` … `end` − 1, as long as the file still has this `etag`. */
async function range(
  { url, size }: RemoteFile,
  what: string,
  begin: number,
  end: number,
  etag: string | null,
  options: Asking,
): Promise<Response | 'changed'> {
  // A weak etag says nothing about bytes, and must not be compared for a range.
  const unchanged: Record<string, string> =
    etag === null || etag.startsWith('W/') ? {} : { 'If-Range': etag };
  const response = await ask(what, url, { Range: `bytes=${begin}-${end - 1}`, ...unchanged }, options);
  if (response === null)
    throw new ModelFileError(`${what}: the server has it no longer. Look the model up again.`);
  const total = /\/(\d+)$/.exec(response.headers.get('content-range') ?? '')?.[1];
  const newEtag = response.headers.get('etag');
  const changed =
    response.status === 416 ||
    (total !== undefined && Number(total) !== size) ||
    (etag !== null && newEtag !== null && newEtag !== etag);
  if (changed && begin === 0 && total !== undefined && Number(total) !== size) {
    await response.body?.cancel();
    throw new ModelFileError(
      `${what}: it has ${grouped(Number(total))} bytes, listed are ${grouped(size)}. The file has changed; look the model up again.`,
    );
  }
  if (changed) {
    await response.body?.cancel();
    return 'changed';
  }
  // A server without ranges sends all of it, which is right for a file's first and only piece.
  if (response.status === 206 || (begin === 0 && end === size)) return response;
  await response.body?.cancel();
  if (begin > 0 && etag !== null) return 'changed';
  throw new ModelFileError(
    `${what}: the server answered ${response.status} for bytes ${begin} to ${end}; 206 is needed, so that large files can be fetched in pieces.`,
  );
}

/** Runs `write`. @throws ModelFileError if the disk, or the browser's share of it, is full. */
export async function writing(what: string, write: () => void | Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    const full =
      error instanceof Error && (error.name === 'QuotaExceededError' || /ENOSPC|quota/i.test(error.message));
    if (!full) throw error;
    throw new ModelFileError(
      `${what}: there is no more room for it in this browser or on this disk. Delete models that are kept, or free space, and load it again; what has arrived is kept.`,
      { cause: error },
    );
  }
}

/** @throws ModelFileError if there is no room for so many bytes. */
export function checkRoom(label: string, needed: number, free: number | null): void {
  if (free === null || needed <= free) return;
  throw new ModelFileError(
    `${label}: ${bytesText(needed)} are needed and this browser gives ${bytesText(free)} more. Delete models that are kept, or free space on the disk.`,
  );
}
