/** Questions and answers out of a table. */
import { MOST_ROWS, MOST_TEXT, type OwnRow } from './definition.ts';
import type { BadLine, Table } from './readTable.ts';

/** Names that a column may have, the likelier first. */
const QUESTION_NAMES = ['question', 'prompt', 'input', 'problem', 'instruction'];
const ANSWER_NAMES = ['answer', 'output', 'target', 'solution', 'response', 'label', 'completion'];

export interface Columns {
  readonly question: number;
  readonly answer: number;
}

export interface ReadRows {
  readonly rows: OwnRow[];
  /** Rows left out, by line of the text. */
  readonly bad: readonly BadLine[];
}

function indexOfName(columns: readonly string[], names: readonly string[]): number | null {
  const lower = columns.map((column) => column.trim().toLowerCase());
  for (const name of names) {
    const index = lower.indexOf(name);
    if (index >= 0) return index;
  }
  return null;
}

/**
 * The columns with the questions and the answers, by their names in any case; null where a person has to choose. The error to
 * show then is `columnsError`.
 */
export function guessColumns(columns: readonly string[]): Columns | null {
  const question = indexOfName(columns, QUESTION_NAMES);
  const answer = indexOfName(columns, ANSWER_NAMES);
  return question === null || answer === null ? null : { question, answer };
}

export function columnsError(columns: readonly string[]): string {
  const found = columns
    .slice(0, 12)
    .map((name) => JSON.stringify(name.slice(0, 40)))
    .join(', ');
  const count = columns.length === 1 ? '1 column was' : `${columns.length} columns were`;
  const next =
    columns.length < 2
      ? 'Two are needed, one named question and one named answer: add a header row with these names.'
      : 'Which holds the question and which the answer can’t be told by name: choose them, or name them question and answer.';
  return `${count} found${found === '' ? '' : ` (${found})`}. ${next}`;
}

function valueError(what: string, value: string | null | undefined): string | null {
  if (value === null || value === undefined) return `has no ${what} that is text or a number`;
  if (value.trim() === '') return `has an empty ${what}`;
  return value.length > MOST_TEXT
    ? `has a ${what} of ${value.length.toLocaleString('en')} characters; at most ${MOST_TEXT.toLocaleString('en')} are allowed`
    : null;
}

/** The rows of two columns, and the lines that give none. Throws where there are more than `MOST_ROWS`. */
export function readRows(table: Table, { question, answer }: Columns): ReadRows {
  if (table.records.length > MOST_ROWS)
    throw new Error(
      `${table.records.length.toLocaleString('en')} rows were found, and at most ${MOST_ROWS.toLocaleString('en')} are allowed. Keep a part of them.`,
    );
  const rows: OwnRow[] = [];
  const bad: BadLine[] = [...table.bad];
  for (const { line, values } of table.records) {
    const [asked, answered] = [values[question], values[answer]];
    const error = valueError('question', asked) ?? valueError('answer', answered);
    if (error !== null) bad.push({ line, message: error });
    else rows.push({ question: (asked ?? '').trim(), answer: (answered ?? '').trim() });
  }
  return { rows, bad: bad.toSorted((a, b) => a.line - b.line) };
}
