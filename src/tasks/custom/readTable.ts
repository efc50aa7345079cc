/** Tables out of what the user dropped or pasted: JSONL, JSON, or a table with a header (commas, tabs, semicolons or bars). */
import Papa from 'papaparse';
import { grouped } from '@rl-playground/base/text';
import { exactJson, isJsonObject, jsonLines, type JsonLine } from '@rl-playground/base/json';
import { MOST_ROWS } from '../define/definition.ts';
import { namesBoth } from './usualNames.ts';
import { objectsOf } from './jsonObjects.ts';

export interface TableRecord {
  /** The line of the text on which the record begins; the first is 1. */
  readonly line: number;
  /** The record belongs to the source's own test part. */
  readonly test?: true;
  /** The value in a column as JSON has it; a number that a double would not hold is its text. */
  value(column: number): unknown;
}

export interface BadLine {
  readonly line: number;
  readonly message: string;
}

export interface Table {
  readonly format: 'JSONL' | 'JSON' | 'CSV' | 'parquet';
  /** The names of the columns. `reward_model.ground_truth` is a field of the objects in `reward_model`. */
  readonly columns: readonly string[];
  readonly records: readonly TableRecord[];
  /** The lines that could not be read. */
  readonly bad: readonly BadLine[];
}

/** Columns of a table: more are no questions and answers. */
const MOST_COLUMNS = 1000;

const DELIMITERS = [',', '\t', ';', '|'];
/** The number of records by which a delimiter is judged. */
const JUDGED = 20;

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

/** @throws Error where a table has too many. */
export function refuseColumns(count: number): void {
  if (count <= MOST_COLUMNS) return;
  throw new Error(
    `${grouped(count)} columns were found, and at most ${grouped(MOST_COLUMNS)} are read. Keep those with the questions and the answers.`,
  );
}

/** @throws Error where a table has too many. */
export function refuseRows(count: number): void {
  if (count <= MOST_ROWS) return;
  throw new Error(
    `${grouped(count)} rows were found, and at most ${grouped(MOST_ROWS)} are allowed. Keep a part of them.`,
  );
}

/** The most bad lines that an error names. */
const MOST_NAMED = 3;

/** The first bad lines in words, such as `line 3 has an empty answer`. */
export function badLinesText(bad: readonly BadLine[]): string {
  const named = bad.slice(0, MOST_NAMED).map(({ line, message }) => `line ${line} ${message}`);
  return `${named.join('; ')}${bad.length > MOST_NAMED ? `; and ${bad.length - MOST_NAMED} more` : ''}`;
}

/** The number of characters of a parser's words that a message quotes. */
const MOST_REASON = 120;
const NOT_AN_OBJECT = {
  JSONL: 'is JSON, but not an object with a question and an answer',
  JSON: 'is not an object with a question and an answer',
};

/** The reason why a line is no JSON, and what to do where it is known. */
function noJson(text: string, reason: string): string {
  const python = /^\s*\{\s*'/.test(text);
  const cure = python ? '; it has single quotes, as Python prints: write it with json.dumps' : '';
  // Some parsers count lines within the text that they were given, which is one line.
  const said = reason.replace(/ \(line \d+ column \d+\)$/, '');
  return `is not JSON (${said.slice(0, MOST_REASON)})${cure}`;
}

/** The value of a column, whose name may lead into an object: `reward_model.ground_truth`. */
export function valueAt(object: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(object, name)) return object[name];
  for (let dot = name.indexOf('.'); dot > 0; dot = name.indexOf('.', dot + 1)) {
    const outer = name.slice(0, dot);
    const inner = Object.hasOwn(object, outer) ? object[outer] : undefined;
    const field = name.slice(dot + 1);
    if (isJsonObject(inner) && Object.hasOwn(inner, field)) return inner[field];
  }
  return null;
}

/**
 * The names of the objects' values, in the order of their first appearance, and behind them those of the objects in them, unless they are
 * too many. A missing value takes no memory, so a table whose records share no names is no larger than its text.
 */
function columnsOfObjects(objects: Iterable<Record<string, unknown>>): string[] {
  const names = new Set<string>();
  const inner = new Set<string>();
  for (const object of objects)
    for (const [name, value] of Object.entries(object)) {
      names.add(name);
      if (isJsonObject(value) && inner.size <= MOST_COLUMNS)
        for (const field of Object.keys(value)) inner.add(`${name}.${field}`);
    }
  refuseColumns(names.size);
  const all = new Set([...names, ...inner]);
  return [...(all.size > MOST_COLUMNS ? names : all)];
}

type Entry = Pick<JsonLine, 'line' | 'text' | 'json'>;

/** Makes a table of JSON records. @throws Error with the reasons where none of them is a record. */
function tableOfEntries(format: 'JSONL' | 'JSON', entries: Iterable<Entry>): Table {
  const objects: { line: number; object: Record<string, unknown> }[] = [];
  const bad: BadLine[] = [];
  for (const { line, text, json } of entries) {
    if ('error' in json) bad.push({ line, message: noJson(text, json.error) });
    else if (isJsonObject(json.value)) objects.push({ line, object: json.value });
    else bad.push({ line, message: NOT_AN_OBJECT[format] });
    refuseRows(objects.length + bad.length);
  }
  if (objects.length === 0)
    throw new Error(
      `None of the ${grouped(bad.length)} lines is a row: ${badLinesText(bad)}. Write one JSON object with a question and an answer on each line.`,
    );
  const columns = columnsOfObjects(objects.map(({ object }) => object));
  const records = objects.map(({ line, object }) => ({
    line,
    value: (column: number): unknown => {
      const name = columns[column];
      return name === undefined ? null : valueAt(object, name);
    },
  }));
  return { format, columns, records, bad };
}

/** The lines of a list's entries are not known, so the entries are counted instead. */
function tableOfList(values: readonly unknown[]): Table {
  refuseRows(values.length);
  return tableOfEntries(
    'JSON',
    values.map((value, i) => ({ line: i + 1, text: '', json: { value } })),
  );
}

/**
 * The delimiter by the header and the first records: one that parts the header into usual names of a question and an answer, else one that
 * parts most records as it parts the header. The library's own guess counts a last empty line as a record of one value, and takes decimal
 * commas for delimiters.
 */
function delimiterOf(text: string): string {
  let [best, most] = [',', 0];
  for (const delimiter of DELIMITERS) {
    const { data } = Papa.parse<string[]>(text, { delimiter, preview: JUDGED, skipEmptyLines: 'greedy' });
    const [header = [], ...records] = data;
    if (header.length < 2) continue;
    const alike = records.filter(({ length }) => length === header.length).length;
    const score = (namesBoth(header) ? 2 : 0) + (alike + 1) / (records.length + 1);
    if (score > most) [best, most] = [delimiter, score];
  }
  return best;
}

function readDelimited(text: string): Table {
  let columns: readonly string[] | null = null;
  const records: TableRecord[] = [];
  const bad: BadLine[] = [];
  let line = 1;
  let from = 0;
  Papa.parse<string[]>(text, {
    delimiter: delimiterOf(text),
    step({ data, errors, meta }) {
      const start = line;
      for (; from < meta.cursor; from++) {
        const code = text.charCodeAt(from);
        if (code === 10 || (code === 13 && text.charCodeAt(from + 1) !== 10)) line++;
      }
      if (data.every((value) => value.trim() === '')) return;
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
      else records.push({ line: start, value: (column) => data[column] ?? null });
      refuseRows(records.length + bad.length);
    },
  });
  const [first] = bad;
  if (columns === null && first !== undefined)
    throw new Error(`Line ${first.line}, which should name the columns, ${first.message}. Correct it.`);
  return { format: 'CSV', columns: columns ?? [], records, bad };
}

/** The one object that the whole text is, or null where it has an object on each line, or none. */
function wholeObject(text: string): Record<string, unknown> | null {
  const first: JsonLine[] = [];
  for (const line of jsonLines(text, exactJson)) if (first.push(line) > 1) break;
  const [only, second] = first;
  const isLine = only !== undefined && !('error' in only.json);
  if (isLine && second !== undefined) return null;
  const json = isLine ? only.json : exactJson(text);
  return !('error' in json) && isJsonObject(json.value) ? json.value : null;
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
    const json = exactJson(text);
    if ('error' in json)
      throw new Error(
        `The text begins like a JSON list but is none (${json.error.slice(0, MOST_REASON)}). Correct it, or put one object on each line (JSONL).`,
      );
    if (Array.isArray(json.value)) return tableOfList(json.value);
  }
  if (!head.startsWith('{')) return readDelimited(text);
  const whole = wholeObject(text);
  const objects = whole === null ? null : objectsOf(whole);
  return objects === null ? tableOfEntries('JSONL', jsonLines(text, exactJson)) : tableOfList(objects);
}
