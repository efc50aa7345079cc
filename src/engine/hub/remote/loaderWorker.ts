/**
 * Fetches a model's files into the browser's private file system, which only a worker can write synchronously, and checks its weights
 * there. They are read into one buffer over and over, which leaves no garbage for the page to collect.
 */
import { messageOf } from '@rl-playground/base/errors';
import { Secret } from '@rl-playground/base/secret';
import { writeWhole, type SyncAccess, type WorkerFile } from '@rl-playground/base/privateFiles';
import { readModelConfig } from '../load.ts';
import { OpenFolder } from '../openFolder.ts';
import { ModelFileError, type OpenFile } from '../types.ts';
import { openWeights } from '../weights.ts';
import { downloadFile, readPartState, type PartFile } from './download.ts';
import { cacheRoot, recordChecked } from './modelCache.ts';
import { isGgufName } from '../ggufName.ts';
import { isOnnxName } from '../onnxChoice.ts';
import type { RemoteFile } from './remoteFile.ts';

export interface LoadRequest {
  readonly key: string;
  readonly label: string;
  readonly files: readonly RemoteFile[];
  /** The text of a secret and the origin of its server, because a `Secret` can't be sent to a worker. */
  readonly token: { readonly text: string; readonly server: string } | null;
  /** Milliseconds without a byte after which a connection is given up; null for the default. */
  readonly stallMilliseconds: number | null;
}

export type LoaderMessage =
  | { readonly type: 'progress'; readonly path: string; readonly done: number; readonly total: number }
  | { readonly type: 'retry'; readonly why: string }
  | { readonly type: 'done' }
  | { readonly type: 'failed'; readonly message: string };

const send = (message: LoaderMessage): void => self.postMessage(message);

async function partIn(folder: FileSystemDirectoryHandle, name: string): Promise<PartFile> {
  const [partName, stateName] = [`${name}.part`, `${name}.part.json`];
  const handle = (await folder.getFileHandle(partName, { create: true })) as WorkerFile;
  const access = await handle.createSyncAccessHandle();
  const stateFile = (await folder.getFileHandle(stateName, { create: true })) as WorkerFile;
  const stateAccess = await stateFile.createSyncAccessHandle();
  const stateText = new Uint8Array(stateAccess.getSize());
  stateAccess.read(stateText, { at: 0 });
  const state = readPartState(new TextDecoder().decode(stateText), access.getSize());
  const closeBoth = (): void => {
    access.close();
    stateAccess.close();
  };
  const removeState = (): Promise<void> => folder.removeEntry(stateName);
  return {
    state,
    write(bytes, at) {
      writeWhole(access, bytes, at);
    },
    keep(next) {
      access.flush();
      const text = new TextEncoder().encode(JSON.stringify(next));
      stateAccess.truncate(0);
      stateAccess.write(text, { at: 0 });
      stateAccess.flush();
    },
    async finish() {
      access.flush();
      closeBoth();
      await handle.move(name);
      await removeState();
    },
    async discard() {
      closeBoth();
      await folder.removeEntry(partName);
      await removeState();
    },
    close() {
      closeBoth();
      return Promise.resolve();
    },
  };
}

async function sizeOf(folder: FileSystemDirectoryHandle, name: string): Promise<number | null> {
  const handle = await folder.getFileHandle(name).catch(() => null);
  return handle && (await handle.getFile()).size;
}

async function load({ key, label, files, token, stallMilliseconds }: LoadRequest): Promise<void> {
  const root = await cacheRoot();
  if (root === null) throw new ModelFileError(`${label}: this browser keeps no files here.`);
  const folder = await root.getDirectoryHandle(key, { create: true });
  const total = files.reduce((sum, { size }) => sum + size, 0);
  let before = 0;
  for (const file of files) {
    const progress = (done: number): void =>
      send({ type: 'progress', path: file.path, done: before + done, total });
    if ((await sizeOf(folder, file.path)) !== file.size)
      await downloadFile(file, await partIn(folder, file.path), label, {
        ...(token && { secret: new Secret(token.text, token.server) }),
        ...(stallMilliseconds === null ? {} : { stallMilliseconds }),
        onBytes: progress,
        onRetry: (why) => send({ type: 'retry', why }),
      });
    before += file.size;
    progress(0);
  }
  const isModel =
    !files.some(({ path }) => isOnnxName(path)) &&
    files.some(({ path }) => path === 'config.json' || isGgufName(path));
  if (isModel) await recordChecked(folder, await checkedHash(folder, label, files));
}

/** @throws ModelFileError if the weights are not those of the config, or not finite. */
async function checkedHash(
  folder: FileSystemDirectoryHandle,
  label: string,
  files: readonly RemoteFile[],
): Promise<string | null> {
  const opened: SyncAccess[] = [];
  try {
    const source = new OpenFolder({
      label,
      names: files.map(({ path }) => path),
      open: async (name: string): Promise<OpenFile | null> => {
        if (!files.some(({ path }) => path === name)) return null;
        const access = await ((await folder.getFileHandle(name)) as WorkerFile).createSyncAccessHandle();
        opened.push(access);
        return reusing(access);
      },
    });
    return (await openWeights(source, await readModelConfig(source))).contentHash;
  } finally {
    for (const access of opened) access.close();
  }
}

/** Opens a file whose reads share one buffer: each overwrites the result of the previous one. */
function reusing(access: SyncAccess): OpenFile {
  let buffer = new Uint8Array();
  return {
    size: access.getSize(),
    read(begin, end) {
      if (buffer.length < end - begin) buffer = new Uint8Array(end - begin);
      const bytes = buffer.subarray(0, end - begin);
      access.read(bytes, { at: begin });
      return Promise.resolve(bytes);
    },
  };
}

// Cancelling ends the worker: whole ranges of a file are kept, and an unfinished one counts as nothing.
self.addEventListener('message', ({ data }: MessageEvent<LoadRequest>) => {
  load(data).then(
    () => send({ type: 'done' }),
    (error: unknown) => send({ type: 'failed', message: messageOf(error) }),
  );
});
