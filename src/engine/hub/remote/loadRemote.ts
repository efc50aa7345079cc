/** Loads a model from the Hub or a server into this browser: it is looked up, fetched by a worker, kept, and opened from there. */
import { messageOf } from '@rl-playground/base/errors';
import type { Secret } from '@rl-playground/base/secret';
import { ModelFileError, type ModelFiles } from '../types.ts';
import { checkRoom, writing } from './download.ts';
import type { LoaderMessage, LoadRequest } from './loaderWorker.ts';
import { cacheRoot, freeBytes, keptModels, openKept, recordBegun } from './modelCache.ts';
import { filesOf, folderName, type RemoteModel } from './remoteModel.ts';
import type { Asking } from './request.ts';

export interface DownloadProgress {
  /** The file that is being fetched. */
  readonly path: string;
  /** The bytes of all files together. */
  readonly done: number;
  readonly total: number;
  /** The speed of the last seconds in bytes a second; null until it is known. */
  readonly bytesPerSecond: number | null;
  /** The reason for trying a connection again; null while it works. */
  readonly retrying: string | null;
}

export interface LoadRemoteOptions extends Asking {
  readonly onProgress?: (progress: DownloadProgress) => void;
}

/**
 * Returns the model's files, all of them on this machine. If the browser keeps no files, they are read from the server as they are
 * needed.
 *
 * @throws ModelFileError that says what to do, or the signal's reason. What has arrived is kept, and the next call goes on from there.
 */
export async function loadRemote(model: RemoteModel, options: LoadRemoteOptions = {}): Promise<ModelFiles> {
  const { signal } = options;
  signal?.throwIfAborted();
  const root = await cacheRoot();
  if (root === null) return filesOf(model, options);
  const key = folderName(model);
  const kept = await openKept(key);
  if (kept !== null) return kept;
  const there = (await keptModels()).find((each) => each.key === key)?.there ?? 0;
  checkRoom(model.label, model.bytes - there, await freeBytes());
  await writing(model.label, async () =>
    recordBegun(await root.getDirectoryHandle(key, { create: true }), model),
  );
  await runWorker(
    {
      key,
      label: model.label,
      files: model.files,
      token: tokenOf(options.secret),
      stallMilliseconds: options.stallMilliseconds ?? null,
    },
    options,
  );
  const files = await openKept(key);
  if (files !== null) return files;
  throw new ModelFileError(
    `${model.label}: files have vanished from this browser while it was loaded. Load it again.`,
  );
}

function tokenOf(secret: Secret | undefined): LoadRequest['token'] {
  const text = secret?.sentTo(secret.server) ?? null;
  return secret === undefined || text === null ? null : { text, server: secret.server };
}

/** The milliseconds over which the speed is measured. */
const SPEED_MILLISECONDS = 3000;

function runWorker(request: LoadRequest, { signal, onProgress }: LoadRemoteOptions): Promise<void> {
  const worker = new Worker(new URL('./loaderWorker.ts', import.meta.url), { type: 'module' });
  const seen: { readonly at: number; readonly done: number }[] = [];
  let last: DownloadProgress | null = null;
  const speedAt = (done: number): number | null => {
    const now = performance.now();
    seen.push({ at: now, done });
    while (seen.length > 2 && now - (seen[0]?.at ?? now) > SPEED_MILLISECONDS) seen.shift();
    const [first] = seen;
    const seconds = first ? (now - first.at) / 1000 : 0;
    return first && seconds > 0.2 ? (done - first.done) / seconds : null;
  };
  return new Promise<void>((resolve, reject) => {
    const cancel = (): void => reject(signal?.reason as Error);
    signal?.addEventListener('abort', cancel, { once: true });
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      reject(
        new ModelFileError(
          `${request.label}: the loader broke (${messageOf(event.message)}). Load it again.`,
        ),
      );
    });
    worker.addEventListener('message', ({ data }: MessageEvent<LoaderMessage>) => {
      if (data.type === 'done') resolve();
      else if (data.type === 'failed') reject(new ModelFileError(data.message));
      else {
        last =
          data.type === 'retry'
            ? last && { ...last, bytesPerSecond: null, retrying: data.why }
            : {
                path: data.path,
                done: data.done,
                total: data.total,
                bytesPerSecond: speedAt(data.done),
                retrying: null,
              };
        if (last) onProgress?.(last);
      }
    });
    worker.postMessage(request);
  }).finally(() => worker.terminate());
}
