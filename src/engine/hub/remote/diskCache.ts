/** Models of the Hub that programs under Node keep in the user's cache folder. Each has a folder, whose files are whole under their own names. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { downloadFile, readPartState, type PartFile } from './download.ts';
import { folderName, type RemoteModel } from './remoteModel.ts';
import type { Asking } from './request.ts';

/** The folder `RL_PLAYGROUND_CACHE`, else `rl-playground` in the system's cache folder. */
export function cacheFolder(): string {
  const named = process.env['RL_PLAYGROUND_CACHE'];
  return named ?? join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'rl-playground');
}

export interface FetchOptions extends Asking {
  /** Receives the bytes of all files that have arrived. */
  readonly onBytes?: (done: number, total: number) => void;
}

/**
 * Returns the folder of a model's files, all of them on this machine. Missing ones are fetched.
 *
 * @throws ModelFileError that says what to do. What has arrived is kept, and the next call goes on from there.
 */
export async function fetchedToDisk(model: RemoteModel, options: FetchOptions = {}): Promise<string> {
  const folder = join(cacheFolder(), 'models', folderName(model));
  let before = 0;
  for (const file of model.files) {
    const path = join(folder, file.path);
    const onBytes = (done: number): void => options.onBytes?.(before + done, model.bytes);
    if (statSync(path, { throwIfNoEntry: false })?.size !== file.size) {
      await mkdir(dirname(path), { recursive: true });
      await downloadFile(file, await partOnDisk(path), model.label, { ...options, onBytes });
    }
    before += file.size;
    onBytes(0);
  }
  return folder;
}

async function partOnDisk(path: string): Promise<PartFile> {
  const [partPath, statePath] = [`${path}.part`, `${path}.part.json`];
  const file = await open(partPath, existsSync(partPath) ? 'r+' : 'w+');
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (isOpen) await file.close();
    isOpen = false;
  };
  return {
    state: existsSync(statePath)
      ? readPartState(readFileSync(statePath, 'utf8'), (await file.stat()).size)
      : null,
    async write(bytes, at) {
      await file.write(bytes, 0, bytes.byteLength, at);
    },
    async keep(state) {
      await file.sync();
      const next = await open(`${statePath}.new`, 'w');
      await next.writeFile(JSON.stringify(state));
      await next.sync();
      await next.close();
      await rename(`${statePath}.new`, statePath);
    },
    async finish() {
      await file.sync();
      await close();
      await rename(partPath, path);
      await rm(statePath, { force: true });
    },
    async discard() {
      await close();
      await rm(partPath, { force: true });
      await rm(statePath, { force: true });
    },
    close,
  };
}
