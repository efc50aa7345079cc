/** Reads rows of questions and answers from files of the user or from the Hub. */
import { createSHA256 } from 'hash-wasm';
import { grouped, bytesText } from '@rl-playground/base/text';
import { DatasetError } from './datasetError.ts';
import type { ChooseColumns } from './parquet.ts';
import { parted, type DataFile, type DataSource } from './parts.ts';
import { contentOf } from '@rl-playground/engine/parts';
import {
  badLinesText,
  columnsOf,
  type ColumnNames,
  isUsual,
  usedColumns,
  MOST_ROWS,
  type CustomRow,
  type DataOrigin,
  decodeText,
  type ReadRows,
  readRows,
  readTable,
  refuseColumns,
  type Table,
  type DatasetRows,
} from '@rl-playground/tasks/parts';
import { messageOf } from '@rl-playground/base/errors';

/** The most bytes of the text files of one source and of the columns of its parquet files that are read, together. */
export const MOST_BYTES = 200_000_000;
/** The most bytes of a parquet file of which all columns are read so that a person may choose among them. */
const PREVIEW_BYTES = 32_000_000;

/** Files of the user as one source. Their names say which part of the rows each holds. */
export function sourceOfFiles(files: readonly DataFile[]): DataSource {
  return {
    source: files.map(({ name }) => name).join(', '),
    commit: null,
    files: parted(files),
  };
}

function tooMany(name: string, found: string, most: string): DatasetError {
  return new DatasetError(
    `${name}: ${found} were found, and at most ${most} are read. Name one of its files, or give a part of it.`,
  );
}

/**
 * Chooses all columns of a small file, so that a person may choose among them, and of a large one those of a person's names. Lists that
 * nobody means by their name, such as embeddings, would take much memory for nothing.
 */
function chooser(label: string, names: ColumnNames | null, taken: { bytes: number }): ChooseColumns {
  return (columns, rows) => {
    refuseColumns(columns.length);
    if (rows > MOST_ROWS) throw tooMany(label, `${grouped(rows)} rows`, grouped(MOST_ROWS));
    const within = (column: string, names: readonly string[]): boolean =>
      names.some((name) => name === column || name.startsWith(`${column}.`));
    const usable = columns.filter(
      ({ name, lists }) => !lists || isUsual(name) || within(name, Object.values(names ?? {})),
    );
    const all = usable.flatMap(({ name, fields }) => [name, ...fields.map((field) => `${name}.${field}`)]);
    const sum = (of: readonly string[]): number =>
      usable.reduce((bytes, column) => bytes + (within(column.name, of) ? column.bytes : 0), 0);
    const chosen =
      sum(all) <= PREVIEW_BYTES
        ? all
        : usedColumns(columnsOf({ columns: all }, names ?? {})).map((index) => all[index] ?? '');
    taken.bytes += sum(chosen);
    if (taken.bytes > MOST_BYTES)
      throw tooMany(label, `${bytesText(taken.bytes)} in its columns`, bytesText(MOST_BYTES));
    return [...new Set(chosen)];
  };
}

/** Joins tables to one that has the columns of all. */
function joined(tables: readonly (Table & { readonly test: boolean })[]): Table {
  const [only] = tables;
  if (only !== undefined && tables.length === 1 && !only.test) return only;
  const columns = [...new Set(tables.flatMap((table) => table.columns))];
  const records: Table['records'][number][] = [];
  for (const table of tables) {
    const places = columns.map((name) => table.columns.indexOf(name));
    for (const record of table.records)
      records.push({
        line: record.line,
        value: (column) => record.value(places[column] ?? -1),
        ...(table.test && { test: true as const }),
      });
  }
  return { format: tables[0]?.format ?? 'JSONL', columns, records, bad: tables.flatMap(({ bad }) => bad) };
}

/**
 * Reads the table of all files of a source. With `names` only those columns of parquet files are read.
 * @throws DatasetError with the file's name, ModelFileError of a server, or the signal's reason.
 */
export async function readSource({ files }: DataSource, names: ColumnNames | null): Promise<Table> {
  const { isParquet, readParquet } = await import('./parquet.ts');
  const taken = { bytes: 0 };
  const tables: (Table & { readonly test: boolean })[] = [];
  for (const { name, file, test } of files) {
    if (await isParquet(file)) {
      const table = await named(name, () => readParquet(name, file, chooser(name, names, taken)));
      tables.push({ ...table, test });
      continue;
    }
    taken.bytes += file.size;
    if (taken.bytes > MOST_BYTES) throw tooMany(name, bytesText(taken.bytes), bytesText(MOST_BYTES));
    const bytes = await contentOf(file);
    tables.push({ ...(await named(name, () => readTable(decodeText(bytes)))), test });
  }
  return joined(tables);
}

/** Names the file in errors of the readers of texts. */
async function named<T>(name: string, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Error) || error.constructor !== Error) throw error;
    throw new DatasetError(`${name}: ${messageOf(error)}`, { cause: error });
  }
}

export interface SourceRows extends Readonly<ReadRows> {
  readonly origin: DataOrigin;
}

/** Reads the rows of a source by their columns. @throws DatasetError if there is none, and what `readSource` throws. */
export async function rowsOfSource(source: DataSource, names: ColumnNames = {}): Promise<SourceRows> {
  const table = await readSource(source, names);
  const { rows, bad, ...found } = await named(source.source, () => readRows(table, columnsOf(table, names)));
  if (rows.length === 0)
    throw new DatasetError(
      `${source.source}: 0 of ${bad.length} rows can be used; each needs a question and an answer. ${badLinesText(bad)}`.trim(),
    );
  return { rows, bad, origin: await originOf(source, rows), ...found };
}

/** The record that a run keeps of its rows. */
export async function originOf(
  { source, commit }: Pick<DataSource, 'source' | 'commit'>,
  rows: readonly CustomRow[],
): Promise<DataOrigin> {
  const hasher = await createSHA256();
  for (const row of rows) hasher.update(`${JSON.stringify(row)}\n`);
  return { source, commit, sha256: hasher.digest('hex') };
}

/** Rows for a task that asks a dataset. */
export function datasetRows({ rows, origin }: Pick<SourceRows, 'rows' | 'origin'>): DatasetRows {
  const side = (test: boolean) =>
    rows.filter((row) => (row.test === true) === test).map(({ question, answer }) => ({ question, answer }));
  return { train: side(false), test: side(true), origin };
}
