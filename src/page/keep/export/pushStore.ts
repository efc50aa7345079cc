/** Sending the model to the Hub: what was asked for, what is to be confirmed, and how far it is. */
import { create } from 'zustand';
import { BlobOfPieces } from '@rl-playground/base/blobOfPieces';
import type { Pushed, PushFile, PushProgress } from '../../../bridges/push/pushFiles.ts';
import type { PushTarget } from '../../../bridges/push/pushTarget.ts';
import { type OpenFile, filePieces } from '@rl-playground/engine/parts';
import { watched } from '../../../run/export/watched.ts';
import { hubSettings, mayAskHub, patience } from '../../run/model/hubSettings.ts';
import { useApp } from '../../run/state/store.ts';
import { useExport, working } from './exportStore.ts';

/** What stands on the page before anything is sent. */
export interface PreparedPush {
  readonly target: PushTarget;
  /** The repository, where one of this name is there already. */
  readonly there: { readonly isPrivate: boolean } | null;
  readonly files: ReadonlyMap<string, OpenFile>;
}

interface PushState {
  /** Whether its form is unfolded. */
  readonly open: boolean;
  readonly repo: string;
  readonly isPrivate: boolean;
  /** Null until a push is to be confirmed. */
  readonly prepared: PreparedPush | null;
  /** `looking`: whether the repository is there; `calculating`: the bytes of the files. */
  readonly stage: 'looking' | 'calculating' | PushProgress['stage'];
  /** Why something is tried again; null while it goes well. */
  readonly retrying: string | null;
  /** What was sent last. */
  readonly sent: (Pushed & Pick<PushTarget, 'repo'>) | null;
}

export const usePush = create<PushState>(() => ({
  open: false,
  repo: '',
  isPrivate: true,
  prepared: null,
  stage: 'looking',
  retrying: null,
  sent: null,
}));

const onRetry = (retrying: string): void => usePush.setState({ retrying });

/** Asks the server about the repository and lists what would be sent. */
export function preparePush(): Promise<void> {
  const { repo, isPrivate } = usePush.getState();
  const { format, type } = useExport.getState();
  const { secret, ...server } = hubSettings();
  if (secret === undefined) return Promise.resolve();
  const target = { repo: repo.trim(), isPrivate, secret, ...server };
  usePush.setState({ stage: 'looking', retrying: null, sent: null });
  return working('push', async (_, signal) => {
    const { controller } = useApp.getState();
    if (controller === null) return;
    await mayAskHub();
    const { findRepository } = await import('../../../bridges/push/pushFiles.ts');
    const there = await findRepository(target, { signal, onRetry });
    usePush.setState({ prepared: { target, there, files: await controller.exportFiles({ format, type }) } });
  });
}

/** Back to the choices. */
export function forgetPrepared(): void {
  usePush.setState({ prepared: null });
  useExport.setState({ problem: null });
}

/** Sends what was confirmed. */
export function sendPrepared(): Promise<void> {
  const { prepared } = usePush.getState();
  usePush.setState({ stage: 'looking', retrying: null });
  return working('push', async (onProgress, signal) => {
    if (prepared === null) return;
    const { target, files } = prepared;
    const { pushFiles } = await import('../../../bridges/push/pushFiles.ts');
    const calculate = (): Promise<ReadonlyMap<string, PushFile>> => {
      usePush.setState({ stage: 'calculating' });
      return inBlobs(watched(files, { times: 1, onProgress, signal }));
    };
    const sent = await pushFiles(calculate, target, {
      signal,
      onRetry,
      ...patience(),
      onProgress: ({ stage, done, total }) => {
        usePush.setState({ stage, retrying: null });
        onProgress(done / Math.max(1, total));
      },
    });
    usePush.setState({ prepared: null, sent: { ...sent, repo: target.repo } });
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
