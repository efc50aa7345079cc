/**
 * One writer for each run directory: `run.lock` in it names the process that has it, and goes when that process ends. The lock of a process
 * that was killed is taken over.
 */
import { constants, copyFileSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { BadInput } from '@rl-playground/base/errors';
import { inside } from '@rl-playground/engine/parts/node';
import { codeOf, writing } from './durableFiles.ts';
import { statOf } from './processes.ts';
import { readText } from './readText.ts';

export const LOCK_FILE = 'run.lock';
/** There while a stale lock is being taken over, some microseconds. */
const TAKEOVER_FILE = `${LOCK_FILE}.takeover`;

const holderSchema = z.object({
  pid: z.number().int().positive(),
  host: z.string(),
  /** When the process started, as its system counts; null where it does not say. Tells a process from a later one of the same number. */
  started: z.string().nullable(),
  /** The time at which the lock was taken. */
  since: z.iso.datetime(),
});
type Holder = z.infer<typeof holderSchema>;

/** Another process has the folder. */
export class FolderTaken extends BadInput {}

/** Linux's record of a process: it may have ended, and it started so many ticks after a boot. */
function processOf(pid: number): { readonly ended: boolean; readonly started: string } | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    // The 3rd field and the 22nd.
    const [state = '', ...rest] = statOf(pid);
    return { ended: state === 'Z' || state === 'X', started: `${boot} ${rest[18]}` };
  } catch {
    return null;
  }
}

/** True if this machine has a process of that number. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // One of another user may not be signalled, and is there.
    return codeOf(error) === 'EPERM';
  }
}

/** Processes of other machines count as alive: from here nobody can tell. */
function isAlive({ pid, host, started }: Holder): boolean {
  if (host !== hostname()) return true;
  if (!isRunning(pid)) return false;
  const now = processOf(pid);
  return now === null || (!now.ended && (started === null || started === now.started));
}

/** Reads a lock; null if there is no file, or it is no lock of ours. */
function holderOf(path: string): Holder | null {
  try {
    return holderSchema.parse(JSON.parse(readText(path)));
  } catch {
    return null;
  }
}

/** Tells whether a process has the folder. */
export function isLocked(folder: string): boolean {
  const holder = holderOf(join(folder, LOCK_FILE));
  return holder !== null && isAlive(holder);
}

/** Gives `path` the contents of `own` in one go, unless there is something. @returns whether it did. */
function claim(own: string, path: string): boolean {
  return writing(path, () => {
    try {
      linkSync(own, path);
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
    }
    try {
      // Some file systems have no links.
      copyFileSync(own, path, constants.COPYFILE_EXCL);
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    }
  });
}

function taken(folder: string, holder: Holder | null, path = join(folder, LOCK_FILE)): FolderTaken {
  if (holder === null)
    return new FolderTaken(
      `${folder} is in use: ${path} is there. If no run writes to the folder, remove that file.`,
    );
  const { pid, host, since } = holder;
  const elsewhere = host === hostname() ? '' : ` on ${host}; if it has ended there, remove ${path}`;
  return new FolderTaken(
    `${folder} is in use by another run (process ${pid}${elsewhere}, since ${new Date(since).toLocaleString('sv')}). Wait until it has ended, or name another folder.`,
  );
}

/** Takes the place of a lock whose process is gone. Only one of several that try gets it. */
function takeOver(folder: string, own: string): void {
  const [path, takeover] = [join(folder, LOCK_FILE), join(folder, TAKEOVER_FILE)];
  if (!claim(own, takeover)) throw taken(folder, null, takeover);
  try {
    // Whoever was faster is alive.
    const holder = holderOf(path);
    if (holder !== null && isAlive(holder)) throw taken(folder, holder);
    rmSync(path, { force: true });
    if (!claim(own, path)) throw taken(folder, holderOf(path));
  } finally {
    rmSync(takeover, { force: true });
  }
}

/**
 * Takes a folder for this process, until it is released or the process ends.
 *
 * @returns what releases it.
 * @throws FolderTaken naming who has it; WriteError where nothing can be written there.
 */
export function lockFolder(folder: string): () => void {
  const path = inside(folder, LOCK_FILE);
  const own = `${path}.${process.pid}`;
  const holder: Holder = {
    pid: process.pid,
    host: hostname(),
    started: processOf(process.pid)?.started ?? null,
    since: new Date().toISOString(),
  };
  try {
    writing(own, () => {
      rmSync(own, { force: true });
      writeFileSync(own, `${JSON.stringify(holder)}\n`, { flag: 'wx' });
    });
    if (!claim(own, path)) {
      const before = holderOf(path);
      if (before === null || isAlive(before)) throw taken(folder, before);
      takeOver(folder, own);
    }
  } finally {
    rmSync(own, { force: true });
  }
  const release = (): void => {
    process.off('exit', release);
    rmSync(path, { force: true });
  };
  // Also where the program ends on the spot.
  process.on('exit', release);
  return release;
}
