/** The rows of a task that is asked from a dataset: loaded from the Hub, kept in the browser, or read from files. */
import { create } from 'zustand';
import { messageOf } from '../../base/errors.ts';
import type { LoadProgress } from '../../hub/datasets/gsm8k.ts';
import type { DatasetRows, TaskDataset } from '../../tasks/types.ts';

interface DatasetState {
  /** Bytes so far while the Hub's files come in; null while nothing is loading. */
  readonly progress: LoadProgress | null;
  /** What happened last, in words; empty before anything did. */
  readonly said: string;
  readonly failed: boolean;
  /** Counts the times that rows were provided, so that what shows problems draws them anew. */
  readonly provided: number;
}

export const useDataset = create<DatasetState>(() => ({
  progress: null,
  said: '',
  failed: false,
  provided: 0,
}));

let loading = new AbortController();

function take(dataset: TaskDataset, rows: DatasetRows, from: string): void {
  const { counts, leftOut } = dataset.provide(rows);
  const without = leftOut > 0 ? ` ${leftOut} rows had no answer that can be read and were left out.` : '';
  useDataset.setState(({ provided }) => ({
    provided: provided + 1,
    failed: false,
    said: `${counts.train} problems for training and ${counts.eval} for evaluation, ${from}.${without}`,
  }));
}

function fail(error: unknown): void {
  useDataset.setState({ failed: true, said: messageOf(error) });
}

/** Takes the rows that this browser has kept, if it has any; asks nobody else. */
export async function restoreRows(dataset: TaskDataset): Promise<void> {
  if (dataset.counts() !== null) return;
  try {
    const { keptGsm8k } = await import('../../hub/datasets/gsm8k.ts');
    const rows = await keptGsm8k();
    if (rows !== null && dataset.counts() === null) take(dataset, rows, 'kept in this browser');
  } catch (error) {
    fail(error);
  }
}

/** Loads the dataset from the Hugging Face Hub, or from what the browser has kept of it. */
export async function loadFromHub(dataset: TaskDataset): Promise<void> {
  loading = new AbortController();
  const { signal } = loading;
  useDataset.setState({ progress: { done: 0, total: 0 }, said: '', failed: false });
  try {
    const { loadGsm8k } = await import('../../hub/datasets/gsm8k.ts');
    const rows = await loadGsm8k({
      signal,
      onProgress: (progress) => useDataset.setState({ progress }),
    });
    take(dataset, rows, 'from the Hugging Face Hub');
  } catch (error) {
    if (signal.aborted) useDataset.setState({ said: 'Loading was cancelled; nothing has changed.' });
    else fail(error);
  } finally {
    useDataset.setState({ progress: null });
  }
}

export function cancelLoading(): void {
  loading.abort();
}

/** Whether a dropped file is one for the dataset, going by its name. */
export function isDatasetFile({ name }: File): boolean {
  return /\.(jsonl|parquet)$/i.test(name);
}

/** Reads files that were chosen or dropped. On any error the rows before stay. */
export async function readFiles(dataset: TaskDataset, files: readonly File[]): Promise<void> {
  try {
    const { badRowsText, joinGsm8kFiles, readGsm8kFile } = await import('../../hub/datasets/gsm8k.ts');
    const read = await Promise.all(files.map((file) => readGsm8kFile(file)));
    take(dataset, joinGsm8kFiles(read), `from ${files.map(({ name }) => name).join(' and ')}`);
    const bad = read.flatMap((each) => each.bad);
    if (bad.length > 0)
      useDataset.setState(({ said }) => ({ said: `${said} ${bad.length} bad rows: ${badRowsText(bad)}` }));
  } catch (error) {
    fail(error);
  }
}
