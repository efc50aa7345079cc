/** GSM8K: from files that the user drops, or from the Hugging Face Hub, kept in the browser once it was there. */
import type * as Hub from '@huggingface/hub';
import { messageOf } from '../../base/errors.ts';
import type { DatasetRow, DatasetRows } from '../../tasks/types.ts';
import { filesAtUrl } from '../sources.ts';
import { DatasetError, isParquet, readJsonLines, readParquet, type BadRow, type ReadRows } from './rows.ts';
import { browserStore } from '../../base/browserStore.ts';

/** The whole dataset is under 5 MB. */
const MOST_BYTES = 100_000_000;

/** Bad rows that an error names. */
const MOST_NAMED = 3;

export interface FileRows extends ReadRows {
  readonly file: string;
  /** What the file's name says: `train…` or `test…`; null where it says neither. */
  readonly part: 'train' | 'test' | null;
}

/** Which part of the dataset a file of that name or path holds. */
export function partOf(name: string): FileRows['part'] {
  const base = name.split('/').at(-1)?.toLowerCase() ?? '';
  if (/(^|[^a-z])test([^a-z]|$)/.test(base)) return 'test';
  return /(^|[^a-z])train([^a-z]|$)/.test(base) ? 'train' : null;
}

/** `line 3: its answer is 7; …`, for the first few. */
export function badRowsText(bad: readonly BadRow[]): string {
  const named = bad.slice(0, MOST_NAMED).map(({ line, message }) => `line ${line}: ${message}`);
  return `${named.join(' ')}${bad.length > MOST_NAMED ? ` And ${bad.length - MOST_NAMED} more.` : ''}`;
}

/**
 * Reads a JSONL or parquet file with the columns question and answer. Bad rows are left out and listed.
 * @throws DatasetError where the file is too large or broken, or no row is good.
 */
export async function readGsm8kFile(file: File): Promise<FileRows> {
  if (file.size > MOST_BYTES)
    throw new DatasetError(
      `${file.name}: it has ${file.size} bytes; at most ${MOST_BYTES} are read. Give a part of it.`,
    );
  const bytes = new Uint8Array(await file.arrayBuffer());
  const read = isParquet(bytes)
    ? await readParquet(file.name, bytes)
    : readJsonLines(new TextDecoder().decode(bytes));
  if (read.rows.length === 0)
    throw new DatasetError(
      `${file.name}: 0 of ${read.bad.length} rows can be used; each needs a question and an answer. ${badRowsText(read.bad)}`.trim(),
    );
  return { ...read, file: file.name, part: partOf(file.name) };
}

/** The rows of several files, each on the side its name says; those that say none are for training. */
export function joinGsm8kFiles(files: readonly FileRows[]): DatasetRows {
  const sides: { train: DatasetRow[]; test: DatasetRow[] } = { train: [], test: [] };
  for (const { part, rows } of files) sides[part ?? 'train'].push(...rows);
  // A test file alone is a dataset like any other, of which a part is held out.
  return sides.train.length === 0 ? { train: sides.test, test: [] } : sides;
}

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
    const file = await source.open(path, {
      ...(signal === undefined ? {} : { signal }),
      onProgress: (done) => onProgress?.({ done: before + done, total }),
    });
    if (file?.size !== size)
      throw new DatasetError(`GSM8K: ${file?.size ?? 0} of the ${size} bytes of ${path} arrived. ${INSTEAD}`);
    before += size;
    sides[partOf(path) ?? 'train'].push(...(await readParquet(path, await file.read(0, size))).rows);
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

export interface RowStore {
  /** Null where there is nothing, or nothing that can be used. */
  get(key: string): Promise<DatasetRows | null>;
  /** Does nothing where the browser refuses. */
  set(key: string, rows: DatasetRows): Promise<void>;
}

function isRows(value: unknown): value is DatasetRow[] {
  return (
    Array.isArray(value) &&
    value.every(
      (row: Partial<DatasetRow> | null) =>
        typeof row?.question === 'string' && typeof row.answer === 'string',
    )
  );
}

function asRows(value: unknown): DatasetRows | null {
  if (typeof value !== 'object' || value === null) return null;
  const { train, test } = value as Partial<DatasetRows>;
  return isRows(train) && isRows(test) ? { train, test } : null;
}

/** The browser's; one that keeps nothing has no rows. */
const kept = browserStore('keyval-store', 'keyval');

export const browserRowStore: RowStore = {
  get: (key) => kept.get(key).then(asRows, () => null),
  set: (key, rows) => kept.set(key, rows).catch(() => undefined),
};
