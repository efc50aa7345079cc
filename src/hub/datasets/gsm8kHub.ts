/** GSM8K from the Hugging Face Hub, kept in the browser once it was there. */
import type * as Hub from '@huggingface/hub';
import type { DatasetRow, DatasetRows } from '../../tasks/types.ts';
import { messageOf } from '../errors.ts';
import { filesAtUrl } from '../sources.ts';
import { partOf } from './gsm8kFile.ts';
import { readParquet } from './parquet.ts';
import { browserRowStore, type RowStore } from './rowStore.ts';
import { DatasetError } from './rows.ts';

const NAME = 'openai/gsm8k';
/** Of the dataset's two forms the plain one; the other, `socratic`, has the same questions. */
const FOLDER = 'main';
const STORE_KEY = `dataset ${NAME}/${FOLDER} 1`;
const INSTEAD =
  'Connect to the internet and try again, or drop the file of the dataset (parquet or JSONL with the columns question and answer).';

export interface LoadProgress {
  /** Bytes of all files together; `total` is known from the start. */
  readonly done: number;
  readonly total: number;
}

export interface LoadOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: LoadProgress) => void;
  /** Another server with the Hub's interface. */
  readonly hubUrl?: string;
  readonly store?: RowStore;
}

interface HubFile {
  readonly path: string;
  readonly size: number;
}

async function listParquet(
  { listFiles }: typeof Hub,
  hubUrl: string,
  signal: AbortSignal | undefined,
): Promise<HubFile[]> {
  const files: HubFile[] = [];
  const listing = listFiles({
    repo: { type: 'dataset', name: NAME },
    path: FOLDER,
    hubUrl,
    fetch: (input, init) => fetch(input, signal === undefined ? init : { ...init, signal }),
  });
  for await (const { path, size, type } of listing)
    if (type === 'file' && path.endsWith('.parquet') && partOf(path) !== null) files.push({ path, size });
  return files;
}

async function download(
  files: readonly HubFile[],
  hubUrl: string,
  options: LoadOptions,
): Promise<DatasetRows> {
  const { signal, onProgress } = options;
  const sides: { train: DatasetRow[]; test: DatasetRow[] } = { train: [], test: [] };
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const source = filesAtUrl('GSM8K', `${hubUrl}/datasets/${NAME}/resolve/main/`);
  let before = 0;
  for (const { path, size } of files) {
    const bytes = await source.read(path, {
      ...(signal === undefined ? {} : { signal }),
      onProgress: (done) => onProgress?.({ done: before + done, total }),
    });
    if (bytes?.byteLength !== size)
      throw new DatasetError(
        `GSM8K: ${bytes?.byteLength ?? 0} of the ${size} bytes of ${path} arrived. ${INSTEAD}`,
      );
    before += size;
    sides[partOf(path) ?? 'train'].push(...(await readParquet(path, bytes)).rows);
  }
  return sides;
}

/** GSM8K as it was last loaded on this browser, without the network; null where it never was. */
export function keptGsm8k(store: RowStore = browserRowStore): Promise<DatasetRows | null> {
  return store.get(STORE_KEY);
}

/**
 * Loads GSM8K: from the browser's own store, else its parquet files from the Hub, which are kept then.
 * @throws DatasetError that says what to do, or the signal's reason.
 */
export async function loadGsm8k(options: LoadOptions = {}): Promise<DatasetRows> {
  const { signal, store = browserRowStore } = options;
  signal?.throwIfAborted();
  const kept = await keptGsm8k(store);
  if (kept !== null) return kept;
  let rows: DatasetRows;
  try {
    const hub = await import('@huggingface/hub');
    const hubUrl = options.hubUrl ?? hub.HUB_URL;
    const files = await listParquet(hub, hubUrl, signal);
    const parts = new Set(files.map(({ path }) => partOf(path)));
    if (parts.size < 2)
      throw new DatasetError(
        `GSM8K: the Hub lists ${files.length} parquet files in ${FOLDER}/; one for train and one for test are needed. ${INSTEAD}`,
      );
    rows = await download(files, hubUrl, options);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof DatasetError) throw error;
    throw new DatasetError(
      `GSM8K could not be loaded from the Hugging Face Hub (${messageOf(error)}). ${INSTEAD}`,
      {
        cause: error,
      },
    );
  }
  await store.set(STORE_KEY, rows);
  return rows;
}
