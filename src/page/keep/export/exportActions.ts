/** What the dialog that takes the model elsewhere has been asked for, and how far it is. */
import { messageOf } from '@rl-playground/base/errors';
import { saveDownload } from '../../ui/files/saveDownload.ts';
import { useRun } from '../../run/state/runStore.ts';
import { type ExportState, changeExport, useKept } from '../kept/keptStore.ts';

let stopping: AbortController | null = null;

/** Ends what is being written; nothing of it stays. */
export function cancelExport(): void {
  stopping?.abort();
}

/** Does something while the dialog shows how far it is. */
export async function working(
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

/** Writes what is chosen as one zip. */
export function downloadExport(): Promise<void> {
  const { format, type } = useKept.getState().export;
  return working('download', async (onProgress, signal) => {
    const { controller } = useRun.getState();
    if (controller === null) return;
    await saveDownload(await controller.exportModel({ format, type }, { onProgress, signal }));
  });
}

/** Writes the run as the chosen trainer goes on with it, as one zip. */
export function downloadHandoff(): Promise<void> {
  const { trainer } = useKept.getState().export;
  return working('download', async (onProgress, signal) => {
    const { controller } = useRun.getState();
    if (controller !== null) await saveDownload(await controller.handOver(trainer, { onProgress, signal }));
  });
}
