/** Actions of the export dialog. */
import { messageOf } from '@rl-playground/base/errors';
import { saveDownload } from '../../ui/files/saveDownload.ts';
import { useRun } from '../../run/state/runStore.ts';
import { type ExportState, changeExport, useKept, changePush } from '../kept/keptStore.ts';
import { BlobOfPieces } from '@rl-playground/base/blobOfPieces';
import type { PushFile } from '@rl-playground/bridges/push';
import { type OpenFile, filePieces } from '@rl-playground/engine/parts';
import { stepOf, watched, zipDownload } from '@rl-playground/run/export';
import type { RunController } from '@rl-playground/run/session';
import { hubSettings, mayAskHub, patience } from '../../run/model/hubStore.ts';

let stopping: AbortController | null = null;

/** Stops the export and drops its file. */
export function cancelExport(): void {
  stopping?.abort();
}

interface Watch {
  readonly onProgress: (share: number) => void;
  readonly signal: AbortSignal;
}

/** Runs `act` while the dialog shows its progress. */
async function working(
  work: ExportState['work'],
  act: (controller: RunController, watch: Watch) => Promise<void>,
): Promise<void> {
  const { controller } = useRun.getState();
  if (controller === null) return;
  const stop = new AbortController();
  const { signal } = stop;
  stopping = stop;
  changeExport({ work, progress: 0, problem: null });
  try {
    await act(controller, { onProgress: (progress) => changeExport({ progress }), signal });
  } catch (error) {
    if (!signal.aborted) changeExport({ problem: messageOf(error) });
  } finally {
    stopping = null;
    changeExport({ progress: null });
  }
}

/** The run in a form of other systems: its files, calculated when they are read, with the weights of this moment. Their code is loaded when it is asked for. */
interface Written {
  readonly step: ReturnType<typeof stepOf>;
  /** The end of a zip's name. */
  readonly kind: string;
  readonly files: ReadonlyMap<string, OpenFile>;
}

/** The model in the chosen format. Rejects if the run has nothing in that format. */
async function model(controller: RunController): Promise<Written> {
  const { format, type } = useKept.getState().export;
  const { exportFiles } = await import('@rl-playground/bridges/export');
  const { parts, began } = await controller.atRest();
  const files = await exportFiles(parts, { format, type, base: began });
  // The base's own type needs no name, and “base” would read as the base model.
  const kind = type === 'base' ? `-${format}` : `-${format}-${type.toLowerCase()}`;
  return { step: stepOf(parts), kind, files };
}

/** The files from which the chosen trainer continues the run. Rejects with the reason if it can't. */
async function handedOver(controller: RunController): Promise<Written> {
  const { trainer: system } = useKept.getState().export;
  const { handoffFiles } = await import('@rl-playground/bridges/handoff');
  const { parts } = await controller.atRest();
  return { step: stepOf(parts), kind: `-${system}`, files: await handoffFiles(parts, { system }) };
}

/** A zip reads each file twice: for its checksum, and to write it. */
const ZIP_READS = 2;

const download = (write: (controller: RunController) => Promise<Written>): Promise<void> =>
  working('download', async (controller, watch) => {
    const { step, kind, files } = await write(controller);
    await saveDownload(await zipDownload(step, kind, watched(files, { ...watch, times: ZIP_READS })));
  });

export const downloadExport = (): Promise<void> => download(model);
export const downloadHandoff = (): Promise<void> => download(handedOver);

const onRetry = (retrying: string): void => changePush({ retrying });

/** Asks the server about the repository and lists what would be sent. */
export function preparePush(): Promise<void> {
  const { repo, isPrivate } = useKept.getState().push;
  const { secret, ...server } = hubSettings();
  if (secret === undefined) return Promise.resolve();
  const target = { repo: repo.trim(), isPrivate, secret, ...server };
  changePush({ stage: 'looking', retrying: null, sent: null });
  return working('push', async (controller, { signal }) => {
    await mayAskHub();
    const { findRepository } = await import('@rl-playground/bridges/push');
    const there = await findRepository(target, { signal, onRetry });
    changePush({ prepared: { target, there, files: (await model(controller)).files } });
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
  return working('push', async (_, { onProgress, signal }) => {
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
