/** The private folder with the runs that this browser keeps. One tab at a time may write a run; all may list, open and follow it. */
import {
  COMMIT_FILE,
  openBlob,
  listedFiles,
  ModelFileError,
  type ModelFiles,
  type OpenFile,
} from '@rl-playground/engine/parts';
import { privateFolder } from '@rl-playground/base/privateFiles';
import type { SavedCheckpoint } from '../records/runLog.ts';
import {
  BASE_FOLDER,
  checkpointStep,
  commitFolder,
  commitNumber,
  commitSchema,
  METRICS_FILE,
  ROLLOUTS_FILE,
  RUNS_FOLDER,
  type Commit,
  type CommitRecord,
} from './keptRun.ts';
import { pastWeightBytes } from './pastWeightFiles.ts';

export interface KeptRun {
  readonly run: string;
  /** The commits in ascending order. The last one says how far the run is. */
  readonly commits: readonly Commit[];
  readonly newest: Commit;
  readonly bytes: number;
  /** The part of these bytes that weights of past steps take. */
  readonly pastBytes: number;
  /** True if a tab writes the run. */
  readonly claimed: boolean;
}

/** The folder of all runs; null where the browser has no private file system. */
export const runsFolder = (): Promise<FileSystemDirectoryHandle | null> => privateFolder(RUNS_FOLDER);

async function readRecord(folder: FileSystemDirectoryHandle): Promise<CommitRecord | null> {
  try {
    const record = await (await folder.getFileHandle(COMMIT_FILE)).getFile();
    const commit = commitSchema.parse(JSON.parse(await record.text()));
    for (const [i, { size }] of commit.files.entries())
      if ((await (await folder.getFileHandle(`${i}`)).getFile()).size !== size) return null;
    return commit;
  } catch {
    return null;
  }
}

const bytesOf = ({ files }: CommitRecord): number => files.reduce((sum, { size }) => sum + size, 0);

async function readRun(
  run: string,
  folder: FileSystemDirectoryHandle,
  claimed: boolean,
): Promise<KeptRun | null> {
  const commits: Commit[] = [];
  let bytes = 0;
  for await (const [name, handle] of folder.entries()) {
    if (handle.kind !== 'directory') continue;
    const commit = await readRecord(handle as FileSystemDirectoryHandle);
    if (commit === null) continue;
    bytes += bytesOf(commit);
    const number = commitNumber(name);
    if (number !== null) commits.push({ ...commit, number });
  }
  commits.sort((a, b) => a.number - b.number);
  const newest = commits.at(-1);
  if (newest === undefined) return null;
  const pastBytes = await pastWeightBytes(folder);
  bytes += newest.rolloutBytes + newest.metricsBytes + pastBytes;
  return { run, commits, newest, bytes, pastBytes, claimed };
}

const lockName = (run: string): string => `rl-playground-run ${run}`;

/** All runs with a commit, the newest first. */
export async function keptRuns(): Promise<KeptRun[]> {
  const root = await runsFolder();
  if (root === null) return [];
  const { held = [] } = await navigator.locks.query();
  const locks = new Set(held.map(({ name }) => name));
  const found: KeptRun[] = [];
  for await (const [run, folder] of root.entries()) {
    if (folder.kind !== 'directory') continue;
    const kept = await readRun(run, folder as FileSystemDirectoryHandle, locks.has(lockName(run)));
    if (kept !== null) found.push(kept);
  }
  return found.sort((a, b) => b.newest.kept - a.newest.kept);
}

async function filesOf(
  folder: FileSystemDirectoryHandle,
  commit: CommitRecord,
): Promise<[string, OpenFile][]> {
  const open = async ({ path }: CommitRecord['files'][number], i: number): Promise<[string, OpenFile]> => [
    path,
    openBlob(await (await folder.getFileHandle(`${i}`)).getFile()),
  ];
  return Promise.all(commit.files.map(open));
}

/** The files of the base that adapters of a run are trained beside; none where it is not kept. */
async function baseFiles(run: FileSystemDirectoryHandle): Promise<[string, OpenFile][]> {
  const folder = await run.getDirectoryHandle(BASE_FOLDER).catch(() => null);
  const commit = folder && (await readRecord(folder));
  return commit ? filesOf(folder, commit) : [];
}

/** True if a run's base is kept beside its commits. */
export async function keepsBase(run: string): Promise<boolean> {
  const folder = await (await runsFolder())?.getDirectoryHandle(run).catch(() => null);
  return folder ? (await baseFiles(folder)).length > 0 : false;
}

/** The files of a commit, a checkpoint, and the run's answers up to there. @throws ModelFileError where they are gone. */
export async function openCommit(
  run: string,
  commit: Commit,
): Promise<{ readonly files: ModelFiles; readonly rollouts: OpenFile | null }> {
  const label = `Step ${commit.step} of the run kept here`;
  try {
    const folder = await (await runsFolder())?.getDirectoryHandle(run);
    if (!folder) throw new Error('There is no such folder.');
    const own = await filesOf(await folder.getDirectoryHandle(commitFolder(commit.number)), commit);
    if (commit.metricsBytes > 0) {
      const metrics = await (await folder.getFileHandle(METRICS_FILE)).getFile();
      own.push([METRICS_FILE, openBlob(metrics.slice(0, commit.metricsBytes))]);
    }
    const rollouts = await folder.getFileHandle(ROLLOUTS_FILE).catch(() => null);
    const written = rollouts && (await rollouts.getFile()).slice(0, commit.rolloutBytes);
    return {
      files: listedFiles(label, new Map([...(await baseFiles(folder)), ...own])),
      rollouts: written && openBlob(written),
    };
  } catch (error) {
    throw new ModelFileError(`${label} is not there any more: it was deleted in another tab.`, {
      cause: error,
    });
  }
}

/** The checkpoints that the run's settings asked for, up to a step. */
export async function keptCheckpoints(run: string, upTo: number): Promise<SavedCheckpoint[]> {
  const folder = await (await runsFolder())?.getDirectoryHandle(run).catch(() => null);
  const found: SavedCheckpoint[] = [];
  for await (const [name, handle] of folder?.entries() ?? []) {
    const step = checkpointStep(name);
    if (step === null || step > upTo || handle.kind !== 'directory') continue;
    const inside = handle as FileSystemDirectoryHandle;
    const commit = await readRecord(inside);
    if (commit) found.push({ step, files: new Map(await filesOf(inside, commit)) });
  }
  return found;
}

/** Deletes a run. @throws ModelFileError where a tab writes it. */
export async function deleteRun(run: string): Promise<void> {
  const release = await claimRun(run);
  if (release === null)
    throw new ModelFileError(
      'This run is open in another tab. Reset it there or close that tab, then delete it.',
    );
  try {
    await (await runsFolder())?.removeEntry(run, { recursive: true });
  } finally {
    release();
  }
  tell(run);
}

/** Makes this tab the one that writes a run. Resolves to a function that gives the run up again; null where another tab writes it. */
export function claimRun(run: string): Promise<(() => void) | null> {
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(lockName(run), { ifAvailable: true }, (lock) => {
        if (lock === null) {
          resolve(null);
          return undefined;
        }
        return new Promise<void>((release) => resolve(release));
      })
      .catch(reject);
  });
}

const CHANNEL = 'rl-playground-runs';

/** Tells all tabs that a run has changed. */
export function tell(run: string): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(run);
  channel.close();
}

/** Calls `changed` when a tab changes a run, until the function that it returns is called. */
export function onChange(changed: (run: string) => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }: MessageEvent<string>) => changed(data);
  return () => channel.close();
}
