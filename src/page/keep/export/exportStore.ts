/** What the dialog that takes the model elsewhere has been asked for, and how far it is. */
import { create } from 'zustand';
import { messageOf } from '@rl-playground/base/errors';
import type { ExportFormat, WeightType } from '../../../run/export/exportTypes.ts';
import type { HandoffSystem } from '../../../run/handoff/systems.ts';
import { saveDownload } from '../../ui/files/saveDownload.ts';
import { useApp } from '../../run/state/store.ts';

interface ExportState {
  readonly format: ExportFormat;
  readonly type: WeightType;
  /** Who is to go on with the run. */
  readonly trainer: HandoffSystem;
  /** 0 to 1; null while nothing is written. */
  readonly progress: number | null;
  /** What is being done, or was last. */
  readonly work: 'download' | 'push';
  /** Why the last one failed; null where it did not. */
  readonly problem: string | null;
}

export const useExport = create<ExportState>()(() => ({
  format: 'merged',
  type: 'base',
  trainer: 'trl',
  progress: null,
  work: 'download',
  problem: null,
}));

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
  useExport.setState({ work, progress: 0, problem: null });
  try {
    await act((progress) => useExport.setState({ progress }), stop.signal);
  } catch (error) {
    if (!stop.signal.aborted) useExport.setState({ problem: messageOf(error) });
  } finally {
    stopping = null;
    useExport.setState({ progress: null });
  }
}

/** Writes what is chosen as one zip. */
export function downloadExport(): Promise<void> {
  const { format, type } = useExport.getState();
  return working('download', async (onProgress, signal) => {
    const { controller } = useApp.getState();
    if (controller === null) return;
    await saveDownload(await controller.exportModel({ format, type }, { onProgress, signal }));
  });
}

/** Writes the run as the chosen trainer goes on with it, as one zip. */
export function downloadHandoff(): Promise<void> {
  const { trainer } = useExport.getState();
  return working('download', async (onProgress, signal) => {
    const { controller } = useApp.getState();
    if (controller !== null) await saveDownload(await controller.handOver(trainer, { onProgress, signal }));
  });
}
