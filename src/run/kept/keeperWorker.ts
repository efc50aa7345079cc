/**
 * Writes commits of a run into the browser's private file system: the files, each flushed, then the record that makes a commit of them. It
 * reads them again to compare their hashes. It is a worker, since no other script may write there synchronously.
 */
import { COMMIT_FILE } from '@rl-playground/engine/parts';
import { createSHA256, type IHasher } from 'hash-wasm';
import { messageOf } from '@rl-playground/base/errors';
import { writeWhole, type SyncAccess, type WorkerFile } from '@rl-playground/base/privateFiles';
import {
  commitSchema,
  foldersOfRun,
  METRICS_FILE,
  ROLLOUTS_FILE,
  type CommitHead,
  type CommitRecord,
  type LineEnds,
} from './keptRun.ts';

export type KeeperRequest =
  /** Begins an empty folder. */
  | { readonly type: 'begin'; readonly run: string; readonly folder: string }
  | { readonly type: 'piece'; readonly path: string; readonly bytes: Uint8Array<ArrayBuffer> }
  /**
   * Makes a commit of what was written. The lines follow the first `after` bytes of the run's answers and metrics, and replace the rest of
   * those files; the answers then are of `rolloutSteps` steps. `remove` are folders that make room.
   */
  | {
      readonly type: 'end';
      readonly head: CommitHead;
      readonly after: LineEnds;
      readonly lines: { readonly rollouts: string; readonly metrics: string };
      readonly rolloutSteps: number;
      readonly remove: readonly string[];
    }
  /** Checks that the files of a commit are as its record says. */
  | { readonly type: 'verify'; readonly run: string; readonly folder: string };

export type KeeperAnswer =
  | { readonly type: 'done'; readonly commit: CommitRecord | null }
  /** `full`: the browser gives no more room. */
  | { readonly type: 'failed'; readonly message: string; readonly full: boolean };

interface Writing {
  readonly run: FileSystemDirectoryHandle;
  readonly folder: FileSystemDirectoryHandle;
  readonly files: { path: string; size: number; sha256: string }[];
  open: { readonly path: string; readonly access: SyncAccess; readonly hasher: IHasher; size: number } | null;
}

let writing: Writing | null = null;

async function accessTo(folder: FileSystemDirectoryHandle, name: string): Promise<SyncAccess> {
  return ((await folder.getFileHandle(name, { create: true })) as WorkerFile).createSyncAccessHandle();
}

async function begin(run: string, folder: string): Promise<void> {
  writing?.open?.access.close();
  const { run: inside } = await foldersOfRun(run);
  await inside.removeEntry(folder, { recursive: true }).catch(() => undefined);
  writing = {
    run: inside,
    folder: await inside.getDirectoryHandle(folder, { create: true }),
    files: [],
    open: null,
  };
}

function begun(): Writing {
  if (writing === null) throw new Error('No commit was begun.');
  return writing;
}

function closeFile(at: Writing): void {
  if (at.open === null) return;
  const { path, access, hasher, size } = at.open;
  access.flush();
  access.close();
  at.files.push({ path, size, sha256: hasher.digest() });
  at.open = null;
}

async function piece(path: string, bytes: Uint8Array): Promise<void> {
  const at = begun();
  if (at.open?.path !== path) {
    closeFile(at);
    const access = await accessTo(at.folder, `${at.files.length}`);
    at.open = { path, access, hasher: await createSHA256(), size: 0 };
  }
  writeWhole(at.open.access, bytes, at.open.size);
  at.open.hasher.update(bytes);
  at.open.size += bytes.byteLength;
}

/** Resolves to the bytes of the run's file after it. */
async function appendLines(at: Writing, name: string, after: number, text: string): Promise<number> {
  const access = await accessTo(at.run, name);
  try {
    access.truncate(after);
    const bytes = new TextEncoder().encode(text);
    writeWhole(access, bytes, after);
    access.flush();
    return after + bytes.byteLength;
  } finally {
    access.close();
  }
}

async function sha256Of(file: Blob): Promise<string> {
  const hasher = await createSHA256();
  const reader = file.stream().getReader();
  for (let next = await reader.read(); next.value; next = await reader.read()) hasher.update(next.value);
  return hasher.digest();
}

async function firstBytes(run: FileSystemDirectoryHandle, name: string, bytes: number): Promise<Blob> {
  return (await (await run.getFileHandle(name)).getFile()).slice(0, bytes);
}

async function end(request: Extract<KeeperRequest, { type: 'end' }>): Promise<CommitRecord> {
  const { head, after, lines, rolloutSteps, remove } = request;
  const at = begun();
  closeFile(at);
  const rolloutBytes = await appendLines(at, ROLLOUTS_FILE, after.rollouts, lines.rollouts);
  const metricsBytes = await appendLines(at, METRICS_FILE, after.metrics, lines.metrics);
  const commit: CommitRecord = {
    ...head,
    format: 1,
    kept: Date.now(),
    rolloutBytes,
    rolloutSteps,
    metricsBytes,
    metricsSha256: await sha256Of(await firstBytes(at.run, METRICS_FILE, metricsBytes)),
    files: at.files,
  };
  const access = await accessTo(at.folder, COMMIT_FILE);
  try {
    writeWhole(access, new TextEncoder().encode(JSON.stringify(commit)), 0);
    access.flush();
  } finally {
    access.close();
  }
  writing = null;
  for (const folder of remove) await at.run.removeEntry(folder, { recursive: true }).catch(() => undefined);
  return commit;
}

/** @throws Error that names the first file which is not as the record says. */
async function verify(run: string, folder: string): Promise<CommitRecord> {
  const { run: whole } = await foldersOfRun(run);
  const inside = await whole.getDirectoryHandle(folder);
  const record = await (await inside.getFileHandle(COMMIT_FILE)).getFile();
  const commit = commitSchema.parse(JSON.parse(await record.text()));
  for (const [i, { path, size, sha256 }] of commit.files.entries()) {
    const file = await (await inside.getFileHandle(`${i}`)).getFile();
    if (file.size !== size) throw new Error(`${path} has ${file.size} bytes of ${size}.`);
    if ((await sha256Of(file)) !== sha256) throw new Error(`${path} has other contents than were written.`);
  }
  const { metricsBytes, metricsSha256 } = commit;
  if (
    metricsBytes > 0 &&
    (await sha256Of(await firstBytes(whole, METRICS_FILE, metricsBytes))) !== metricsSha256
  )
    throw new Error(`${METRICS_FILE} has other contents than were written.`);
  return commit;
}

async function answer(request: KeeperRequest): Promise<CommitRecord | null> {
  switch (request.type) {
    case 'begin':
      await begin(request.run, request.folder);
      return null;
    case 'piece':
      await piece(request.path, request.bytes);
      return null;
    case 'end':
      return end(request);
    case 'verify':
      return verify(request.run, request.folder);
  }
}

const send = (message: KeeperAnswer): void => self.postMessage(message);

// One after the other: pieces are answered in the order in which they came.
let before: Promise<void> = Promise.resolve();
self.addEventListener('message', ({ data }: MessageEvent<KeeperRequest>) => {
  before = before.then(() =>
    answer(data).then(
      (commit) => send({ type: 'done', commit }),
      (error: unknown) => {
        writing?.open?.access.close();
        writing = null;
        const full = error instanceof DOMException && error.name === 'QuotaExceededError';
        send({ type: 'failed', message: messageOf(error), full });
      },
    ),
  );
});
