/** Questions and answers out of JSONL or parquet, and what is wrong with the other rows. */
import { messageOf } from '../../base/errors.ts';
import { isJsonObject, jsonLines } from '../../base/json.ts';
import type { DatasetRow } from '../../tasks/types.ts';

/** A dataset that can't be had or read. The message is written for the user. */
export class DatasetError extends Error {
  override readonly name: string = 'DatasetError';
}

export interface BadRow {
  /** Of a text file; of a parquet file the row. 1 is the first. */
  readonly line: number;
  /** What was found, and what is needed. */
  readonly message: string;
}

export interface ReadRows {
  readonly rows: readonly DatasetRow[];
  readonly bad: readonly BadRow[];
}

const LONGEST_SHOWN = 60;

function shown(value: unknown): string {
  const text = typeof value === 'bigint' ? `${value}` : (JSON.stringify(value) ?? 'nothing');
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

/** An answer may be a number, as people write their own rows. */
function textOf(value: unknown): string | null {
  if (typeof value === 'string' && value.trim() !== '') return value;
  return typeof value === 'number' || typeof value === 'bigint' ? `${value}` : null;
}

/** Takes the columns `question` and `answer` of records; each comes with its place in the file. */
function rowsOf(records: Iterable<{ readonly line: number; readonly value: unknown }>): ReadRows {
  const rows: DatasetRow[] = [];
  const bad: BadRow[] = [];
  for (const { line, value } of records) {
    if (!isJsonObject(value)) {
      bad.push({ line, message: `${shown(value)} was found; an object with question and answer is needed.` });
      continue;
    }
    const [question, answer] = [textOf(value['question']), textOf(value['answer'])];
    if (question !== null && answer !== null) {
      rows.push({ question, answer });
      continue;
    }
    const missing = question === null ? 'question' : 'answer';
    bad.push({ line, message: `its ${missing} is ${shown(value[missing])}; text is needed.` });
  }
  return { rows, bad };
}

/** Reads one JSON object per line. Lines that are no JSON are listed as bad. */
export function readJsonLines(text: string): ReadRows {
  const records: { line: number; value: unknown }[] = [];
  const broken: BadRow[] = [];
  for (const { line, json } of jsonLines(text))
    if ('value' in json) records.push({ line, value: json.value });
    else broken.push({ line, message: `it is no JSON (${json.error}); one object per line is needed.` });
  const { rows, bad } = rowsOf(records);
  return { rows, bad: [...bad, ...broken].toSorted((a, b) => a.line - b.line) };
}

const COLUMNS = ['question', 'answer'];
const MAGIC = 'PAR1';

export function isParquet(bytes: Uint8Array): boolean {
  return new TextDecoder().decode(bytes.subarray(0, MAGIC.length)) === MAGIC;
}

/**
 * Reads the columns question and answer of a parquet file, uncompressed or packed with snappy. `label` names the file in errors.
 * @throws DatasetError where it is broken, packed otherwise, or lacks a column.
 */
export async function readParquet(label: string, bytes: Uint8Array): Promise<ReadRows> {
  const { parquetMetadata, parquetReadObjects, parquetSchema } = await import('hyparquet');
  const file = bytes.slice().buffer;
  try {
    const metadata = parquetMetadata(file);
    const names = parquetSchema(metadata).children.map(({ element }) => element.name);
    const missing = COLUMNS.filter((name) => !names.includes(name));
    if (missing.length > 0)
      throw new DatasetError(
        `${label}: its columns are ${names.join(', ')}; ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing. Give a file with the columns question and answer.`,
      );
    const records = await parquetReadObjects({ file, metadata, columns: COLUMNS });
    return rowsOf(records.map((value, i) => ({ line: i + 1, value })));
  } catch (error) {
    if (error instanceof DatasetError) throw error;
    throw new DatasetError(
      `${label}: this parquet file can't be read (${messageOf(error)}). Fetch it again, or give the rows as JSONL.`,
      { cause: error },
    );
  }
}
