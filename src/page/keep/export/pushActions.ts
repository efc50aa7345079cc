/** Sending the model to the Hub: what was asked for, what is to be confirmed, and how far it is. */
import { BlobOfPieces } from '@rl-playground/base/blobOfPieces';
import type { PushFile } from '../../../bridges/push/pushFiles.ts';
import { type OpenFile, filePieces } from '@rl-playground/engine/parts';
import { watched } from '../../../run/export/watched.ts';
import { hubSettings, mayAskHub, patience } from '../../run/model/hubSettings.ts';
import { useRun } from '../../run/state/runStore.ts';
import { changeExport, changePush, useKept } from '../kept/keptStore.ts';
import { working } from './exportActions.ts';

const onRetry = (retrying: string): void => changePush({ retrying });

/** Asks the server about the repository and lists what would be sent. */
export function preparePush(): Promise<void> {
  const { repo, isPrivate } = useKept.getState().push;
  const { format, type } = useKept.getState().export;
  const { secret, ...server } = hubSettings();
  if (secret === undefined) return Promise.resolve();
  const target = { repo: repo.trim(), isPrivate, secret, ...server };
  changePush({ stage: 'looking', retrying: null, sent: null });
  return working('push', async (_, signal) => {
    const { controller } = useRun.getState();
    if (controller === null) return;
    await mayAskHub();
    const { findRepository } = await import('../../../bridges/push/pushFiles.ts');
    const there = await findRepository(target, { signal, onRetry });
    changePush({ prepared: { target, there, files: await controller.exportFiles({ format, type }) } });
  });
}

/** Back to the choices. */
export function forgetPrepared(): void {
  changePush({ prepared: null });
  changeExport({ problem: null });
}

/** Sends what was confirmed. */
export function sendPrepared(): Promise<void> {
  const { prepared } = useKept.getState().push;
  changePush({ stage: 'looking', retrying: null });
  return working('push', async (onProgress, signal) => {
    if (prepared === null) return;
    const { target, files } = prepared;
    const { pushFiles } = await import('../../../bridges/push/pushFiles.ts');
    const calculate = (): Promise<ReadonlyMap<string, PushFile>> => {
      changePush({ stage: 'calculating' });
      return inBlobs(watched(files, { times: 1, onProgress, signal }));
    };
    const sent = await pushFiles(calculate, target, {
      signal,
      onRetry,
      ...patience(),
      onProgress: ({ stage, done, total }) => {
        changePush({ stage, retrying: null });
        onProgress(done / Math.max(1, total));
      },
    });
    changePush({ prepared: null, sent: { ...sent, repo: target.repo } });
  });
}

/** The files in blobs, which the browser keeps on disk where they are large. */
async function inBlobs(files: ReadonlyMap<string, OpenFile>): Promise<ReadonlyMap<string, PushFile>> {
  const blobs = new Map<string, PushFile>();
  for (const [name, file] of files) {
    const content = new BlobOfPieces();
    for await (const bytes of filePieces(file)) content.add(bytes);
    blobs.set(name, { content: content.blob(), size: file.size });
  }
  return blobs;
}
