/** Questions and answers out of a file, and what is wrong with its other rows. */
import type { DatasetRow } from '../../tasks/types.ts';

/** A dataset that can't be had or read. The message is written for a person. */
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
export function rowsOf(records: Iterable<{ readonly line: number; readonly value: unknown }>): ReadRows {
  const rows: DatasetRow[] = [];
  const bad: BadRow[] = [];
  for (const { line, value } of records) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      bad.push({ line, message: `${shown(value)} was found; an object with question and answer is needed.` });
      continue;
    }
    const record = value as Readonly<Record<string, unknown>>;
    const [question, answer] = [textOf(record['question']), textOf(record['answer'])];
    if (question !== null && answer !== null) {
      rows.push({ question, answer });
      continue;
    }
    const missing = question === null ? 'question' : 'answer';
    bad.push({ line, message: `its ${missing} is ${shown(record[missing])}; text is needed.` });
  }
  return { rows, bad };
}
