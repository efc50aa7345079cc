/** GSM8K out of files that a person drops. */
import type { DatasetRow, DatasetRows } from '../../tasks/types.ts';
import { readJsonLines } from './jsonLines.ts';
import { isParquet, readParquet } from './parquet.ts';
import { DatasetError, type BadRow, type ReadRows } from './rows.ts';

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
