/** Actions of the export dialog. */
import { messageOf } from '@rl-playground/base/errors';
import { saveDownload } from '../../ui/files/saveDownload.ts';
import { useRun } from '../../run/state/runStore.ts';
import { type ExportState, changeExport, useKept, changePush } from '../kept/keptStore.ts';
import { BlobOfPieces } from '@rl-playground/base/blobOfPieces';
import type { PushFile } from '@rl-playground/bridges/push';
import { type OpenFile, filePieces } from '@rl-playground/engine/parts';
import { watched } from '@rl-playground/run/export';
import { exportedFiles, exportZip, handoffZip } from '../kept/writtenRun.ts';
import { hubSettings, mayAskHub, patience } from '../../run/model/hubStore.ts';

let stopping: AbortController | null = null;

/** Stops the export and drops its file. */
export function cancelExport(): void {
  stopping?.abort();
}

/** Runs `act` while the dialog shows its progress. */
async function working(
  work: ExportState['work'],
  act: (onProgress: (share: number) => void, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  stopping = stop;
  changeExport({ work, progress: 0, problem: null });
  try {
    await act((progress) => changeExport({ progress }), stop.signal);
  } catch (error) {
    if (!stop.signal.aborted) changeExport({ problem: messageOf(error) });
  } finally {
    stopping = null;
    changeExport({ progress: null });
  }
}

/** Downloads the model in the chosen format as one zip. */
export function downloadExport(): Promise<void> {
  const { format, type } = useKept.getState().export;
  return working('download', async (onProgress, signal) => {
    const { controller } = useRun.getState();
    if (controller === null) return;
    await saveDownload(await exportZip(controller, { format, type }, { onProgress, signal }));
  });
}

/** Downloads one zip from which the chosen trainer continues the run. */
export function downloadHandoff(): Promise<void> {
  const { trainer } = useKept.getState().export;
  return working('download', async (onProgress, signal) => {
    const { controller } = useRun.getState();
    if (controller !== null)
      await saveDownload(await handoffZip(controller, trainer, { onProgress, signal }));
  });
}

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
    const { findRepository } = await import('@rl-playground/bridges/push');
    const there = await findRepository(target, { signal, onRetry });
    changePush({ prepared: { target, there, files: await exportedFiles(controller, { format, type }) } });
  });
}

/** Returns from the confirmation to the choices. */
export function forgetPrepared(): void {
  changePush({ prepared: null });
  changeExport({ problem: null });
}

/** Sends the confirmed files. */
export function sendPrepared(): Promise<void> {
  const { prepared } = useKept.getState().push;
  changePush({ stage: 'looking', retrying: null });
  return working('push', async (onProgress, signal) => {
    if (prepared === null) return;
    const { target, files } = prepared;
    const { pushFiles } = await import('@rl-playground/bridges/push');
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

/** The files as blobs; the browser keeps large ones on disk. */
async function inBlobs(files: ReadonlyMap<string, OpenFile>): Promise<ReadonlyMap<string, PushFile>> {
  const blobs = new Map<string, PushFile>();
  for (const [name, file] of files) {
    const content = new BlobOfPieces();
    for await (const bytes of filePieces(file)) content.add(bytes);
    blobs.set(name, { content: content.blob(), size: file.size });
  }
  return blobs;
}
