/** Questions and answers out of what the user dropped or pasted: JSONL, a JSON list, or a table with a header (commas, tabs, semicolons or bars). */
import Papa from 'papaparse';
import { grouped } from '@rl-playground/base/text';
import { isJsonObject, jsonLines, parsedJson } from '@rl-playground/base/json';
import { MOST_ROWS, MOST_TEXT, type CustomRow } from '../define/definition.ts';

export interface TableRecord {
  /** The line of the text on which the record begins; the first is 1. */
  readonly line: number;
  /** The record belongs to the source's own test part. */
  readonly test?: true;
  /** The text, number or yes or no in a column, as text, or null. */
  value(column: number): string | null;
}

export interface BadLine {
  readonly line: number;
  readonly message: string;
}

export interface Table {
  readonly format: 'JSONL' | 'JSON' | 'CSV' | 'parquet';
  readonly columns: readonly string[];
  readonly records: readonly TableRecord[];
  /** The lines that could not be read. */
  readonly bad: readonly BadLine[];
}

/** Columns of a table: more are no questions and answers. */
const MOST_COLUMNS = 1000;

const DELIMITERS = [',', '\t', ';', '|'];

/** The text of a file: UTF-8, or UTF-16 with its byte order mark. Throws an error that says what to do with any other. */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  let text: string;
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new Error(`The file is not text in ${encoding.toUpperCase()}. Save it as UTF-8 and drop it again.`);
  }
  if (text.includes('\0'))
    throw new Error(
      'The file holds binary data, not text. Drop a JSONL or CSV file with a question and an answer per row.',
    );
  return text;
}

function cell(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : null;
}

/** A record whose values lie side by side. */
export function recordOf(line: number, values: readonly (string | null)[]): TableRecord {
  return { line, value: (column) => values[column] ?? null };
}

/** @throws Error where a table has too many. */
export function refuseColumns(count: number): void {
  if (count <= MOST_COLUMNS) return;
  throw new Error(
    `${grouped(count)} columns were found, and at most ${grouped(MOST_COLUMNS)} are read. Keep those with the questions and the answers.`,
  );
}

function refuseRows(count: number): void {
  if (count <= MOST_ROWS) return;
  throw new Error(
    `${grouped(count)} rows were found, and at most ${grouped(MOST_ROWS)} are allowed. Keep a part of them.`,
  );
}

/** The number of characters of a parser's words that a message quotes. */
const MOST_REASON = 120;
const NOT_AN_OBJECT = {
  JSONL: 'is JSON, but not an object with a question and an answer',
  JSON: 'is not an object with a question and an answer',
};

/**
 * Makes a table of JSON records, with columns in the order of their first appearance. A missing value takes no memory, so a table whose
 * records share no names is no larger than its text.
 */
function tableOfObjects(
  format: 'JSONL' | 'JSON',
  entries: Iterable<{ readonly line: number; readonly json: ReturnType<typeof parsedJson> }>,
): Table {
  const objects: { line: number; object: Record<string, unknown> }[] = [];
  const bad: BadLine[] = [];
  for (const { line, json } of entries) {
    if ('error' in json) bad.push({ line, message: `is not JSON (${json.error.slice(0, MOST_REASON)})` });
    else if (isJsonObject(json.value)) objects.push({ line, object: json.value });
    else bad.push({ line, message: NOT_AN_OBJECT[format] });
    refuseRows(objects.length + bad.length);
  }
  const names = new Set<string>();
  for (const { object } of objects) for (const name of Object.keys(object)) names.add(name);
  refuseColumns(names.size);
  const columns = [...names];
  const records = objects.map(({ line, object }) => ({
    line,
    value: (column: number): string | null => {
      const name = columns[column];
      return name !== undefined && Object.hasOwn(object, name) ? cell(object[name]) : null;
    },
  }));
  return { format, columns, records, bad };
}

function readDelimited(text: string): Table {
  let columns: readonly string[] | null = null;
  const records: TableRecord[] = [];
  const bad: BadLine[] = [];
  let line = 1;
  let from = 0;
  Papa.parse<string[]>(text, {
    delimitersToGuess: DELIMITERS,
    step({ data, errors, meta }) {
      const start = line;
      for (; from < meta.cursor; from++) {
        const code = text.charCodeAt(from);
        if (code === 10 || (code === 13 && text.charCodeAt(from + 1) !== 10)) line++;
      }
      if (data.every((value) => value.trim() === '')) return;
      // A delimiter that can't be guessed is no error: a single column has none.
      const quoting = errors.find(({ type }) => type === 'Quotes');
      if (quoting !== undefined)
        bad.push({
          line: start,
          message:
            quoting.code === 'MissingQuotes'
              ? `begins a quote that is never closed, so that nothing after it can be told apart`
              : `has a quote that is not doubled`,
        });
      else if (columns === null) {
        refuseColumns(data.length);
        columns = data.map((name) => name.trim());
      } else if (data.length !== columns.length)
        bad.push({
          line: start,
          message: `has ${data.length} ${data.length === 1 ? 'value' : 'values'}, and the header has ${columns.length} columns; put quotes around text that holds the delimiter`,
        });
      else records.push(recordOf(start, data));
      refuseRows(records.length + bad.length);
    },
  });
  const [first] = bad;
  if (columns === null && first !== undefined)
    throw new Error(`Line ${first.line}, which should name the columns, ${first.message}. Correct it.`);
  return { format: 'CSV', columns: columns ?? [], records, bad };
}

/** Reads a table. Linear in the text; throws only where there is nothing to read at all. */
export function readTable(source: string): Table {
  const text = source.replace(/^\uFEFF/, '');
  const head = text.slice(0, 1000).trimStart();
  if (text.trim() === '')
    throw new Error(
      'There is nothing to read: the text is empty. Paste or drop rows with a question and an answer.',
    );
  if (head.startsWith('[')) {
    const json = parsedJson(text);
    if ('error' in json)
      throw new Error(
        `The text begins like a JSON list but is none (${json.error.slice(0, MOST_REASON)}). Correct it, or put one object on each line (JSONL).`,
      );
    if (Array.isArray(json.value)) {
      refuseRows(json.value.length);
      // The lines of a list's entries are not known, so the entries are counted instead.
      const entries = json.value.map((value: unknown, i) => ({ line: i + 1, json: { value } }));
      return tableOfObjects('JSON', entries);
    }
  }
  return head.startsWith('{') ? tableOfObjects('JSONL', jsonLines(text)) : readDelimited(text);
}

/** Names that a column may have, the likelier first. */
const USUAL_NAMES = {
  question: ['question', 'prompt', 'input', 'problem', 'instruction'],
  answer: ['answer', 'output', 'target', 'solution', 'response', 'label', 'completion'],
} as const;

export interface Columns {
  readonly question: number;
  readonly answer: number;
  /** The column of system prompts, which replace the task's; absent if the rows have none. */
  readonly system?: number;
}

export interface ReadRows {
  readonly rows: CustomRow[];
  /** Rows left out, by line of the text. */
  readonly bad: readonly BadLine[];
}

/** The column whose name is usual for questions or answers, in any case, or null. */
export function guessColumn(columns: readonly string[], kind: keyof typeof USUAL_NAMES): number | null {
  const lower = columns.map((column) => column.trim().toLowerCase());
  for (const name of USUAL_NAMES[kind]) {
    const index = lower.indexOf(name);
    if (index >= 0) return index;
  }
  return null;
}

/** The columns of questions and answers by their usual names, or null if the user has to choose; `columnsError` says so. */
export function guessColumns(columns: readonly string[]): Columns | null {
  const question = guessColumn(columns, 'question');
  const answer = guessColumn(columns, 'answer');
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

function valueError(what: string, value: string | null): string | null {
  if (value === null) return `has no ${what} that is text or a number`;
  if (value.trim() === '') return `has an empty ${what}`;
  return value.length > MOST_TEXT
    ? `has a ${what} of ${value.length.toLocaleString('en')} characters; at most ${MOST_TEXT.toLocaleString('en')} are allowed`
    : null;
}

/** The rows of two columns, and the lines that give none. Throws where there are more than `MOST_ROWS`. */
export function readRows(table: Table, { question, answer, system }: Columns): ReadRows {
  refuseRows(table.records.length);
  const rows: CustomRow[] = [];
  const bad: BadLine[] = [...table.bad];
  for (const record of table.records) {
    const { line, test } = record;
    const [asked, answered] = [record.value(question), record.value(answer)];
    const error = valueError('question', asked) ?? valueError('answer', answered);
    if (error !== null) bad.push({ line, message: error });
    else {
      const prompt = system === undefined ? null : record.value(system);
      rows.push({
        question: (asked ?? '').trim(),
        answer: (answered ?? '').trim(),
        ...(prompt !== null && { system: prompt.slice(0, MOST_TEXT) }),
        ...(test && { test }),
      });
    }
  }
  return { rows, bad: bad.toSorted((a, b) => a.line - b.line) };
}
