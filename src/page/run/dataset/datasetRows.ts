/** The rows of a task that is asked from a dataset. They come from the Hub, from this browser, or from files. */
import { openBlob } from '@rl-playground/engine/parts';
import { messageOf } from '@rl-playground/base/errors';
import { browserStore } from '@rl-playground/base/browserStore';
import { badLinesText, type DatasetRows, type ReadRows, type TaskDataset } from '@rl-playground/tasks/parts';
import { hubSettings, mayAskHub } from '../model/hubStore.ts';
import { useForm, changeDataset } from '../form/formStore.ts';

/** The browser's storage. A browser that keeps nothing has no rows. */
const kept = browserStore('keyval-store', 'keyval');
const keptName = ({ id }: TaskDataset): string => `dataset ${id} 2`;

let loading = new AbortController();

/** Gives the rows to their task. `from` says where they come from, and `more` what was found in them. */
function take(dataset: TaskDataset, rows: DatasetRows, from: string, more = ''): void {
  const { counts, leftOut } = dataset.provide(rows);
  const without = leftOut > 0 ? ` ${leftOut} rows had no answer that can be read and were left out.` : '';
  changeDataset({
    provided: useForm.getState().dataset.provided + 1,
    failed: false,
    said: `${counts.train} problems for training and ${counts.eval} for evaluation, ${from}.${without}${more}`,
  });
}

/** Says what was taken for what, and which rows could not be read. */
function foundText({ taken, bad }: Pick<ReadRows, 'taken' | 'bad'>): string {
  return ` Read: ${taken}${bad.length > 0 ? ` ${bad.length} bad rows: ${badLinesText(bad)}.` : ''}`;
}

function fail(error: unknown, advice = ''): void {
  changeDataset({ failed: true, said: messageOf(error) + advice });
}

function isRows(value: unknown): value is DatasetRows {
  const { train, test } = (value ?? {}) as Partial<DatasetRows>;
  return Array.isArray(train) && Array.isArray(test);
}

/** Takes the rows that this browser has kept, and asks no server. */
export async function restoreRows(dataset: TaskDataset): Promise<void> {
  if (dataset.counts() !== null) return;
  try {
    const rows = await kept.get(keptName(dataset)).catch(() => null);
    if (isRows(rows) && dataset.counts() === null) take(dataset, rows, 'kept in this browser');
  } catch (error) {
    fail(error);
  }
}

/** Loads a dataset of the Hub, `org/name[@revision][:path]`, and keeps its rows in the browser. After an error the rows are as before. */
export async function loadFromHub(dataset: TaskDataset, name: string): Promise<void> {
  loading = new AbortController();
  const { signal } = loading;
  changeDataset({ progress: { done: 0, total: 0 }, said: '', failed: false });
  try {
    const { parseDatasetAddress, datasetRows, rowsOfSource, sourceOnHub } =
      await import('@rl-playground/bridges/dataset');
    const address = parseDatasetAddress(name);
    if (address === null)
      throw new Error(`"${name}" names no dataset. Write org/name, org/name@revision or org/name:folder.`);
    await mayAskHub();
    const source = await sourceOnHub(address, {
      ...hubSettings(),
      signal,
      onProgress: (progress) => changeDataset({ progress }),
    });
    const read = await rowsOfSource(source);
    const rows = datasetRows(read);
    signal.throwIfAborted();
    take(dataset, rows, `from ${source.source}`, foundText(read));
    await kept.set(keptName(dataset), rows).catch(() => undefined);
  } catch (error) {
    if (signal.aborted) changeDataset({ said: 'Loading was cancelled; nothing has changed.' });
    else fail(error, ' Or drop the file of the dataset (parquet, JSONL or CSV).');
  } finally {
    changeDataset({ progress: null });
  }
}

export function cancelLoading(): void {
  loading.abort();
}

/** Reads files that were chosen or dropped. After an error the rows are as before. */
export async function readFiles(dataset: TaskDataset, files: readonly File[]): Promise<void> {
  try {
    const { datasetRows, rowsOfSource, sourceOfFiles } = await import('@rl-playground/bridges/dataset');
    const source = sourceOfFiles(files.map((file) => ({ name: file.name, file: openBlob(file) })));
    const read = await rowsOfSource(source);
    take(dataset, datasetRows(read), `from ${source.source}`, foundText(read));
  } catch (error) {
    fail(error);
  }
}
