/** Rows out of what a person dropped or pasted: JSONL, a JSON list, or a table with a header (commas, tabs, semicolons or bars). */
import Papa from 'papaparse';
import { isJsonObject, jsonLines, parsedJson } from '../../base/jsonLines.ts';

export interface TableRecord {
  /** Of the text, where the record begins; 1 is the first. */
  readonly line: number;
  /** By column; null where there is none, or where it is neither text nor number nor yes or no. */
  readonly values: readonly (string | null)[];
}

export interface BadLine {
  readonly line: number;
  readonly message: string;
}

export interface Table {
  readonly format: 'JSONL' | 'JSON' | 'CSV';
  readonly columns: readonly string[];
  readonly records: readonly TableRecord[];
  /** Lines that could not be read; the others are none the worse for them. */
  readonly bad: readonly BadLine[];
}

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

/** Puts records of JSON side by side: columns in the order of their first appearance. */
function tableOfObjects(
  format: 'JSONL' | 'JSON',
  objects: readonly { readonly line: number; readonly object: Record<string, unknown> }[],
  bad: readonly BadLine[],
): Table {
  const columns = [...new Set(objects.flatMap(({ object }) => Object.keys(object)))];
  const records = objects.map(({ line, object }) => ({
    line,
    values: columns.map((column) => (Object.hasOwn(object, column) ? cell(object[column]) : null)),
  }));
  return { format, columns, records, bad };
}

/** Characters of a parser's words that a message quotes. */
const MOST_REASON = 120;

function readJsonLines(text: string): Table {
  const objects: { line: number; object: Record<string, unknown> }[] = [];
  const bad: BadLine[] = [];
  for (const { line, json } of jsonLines(text)) {
    if ('error' in json) bad.push({ line, message: `is not JSON (${json.error.slice(0, MOST_REASON)})` });
    else if (isJsonObject(json.value)) objects.push({ line, object: json.value });
    else bad.push({ line, message: 'is JSON, but not an object with a question and an answer' });
  }
  return tableOfObjects('JSONL', objects, bad);
}

/** Lines of a list's entries are not known: they are counted instead. */
function readJsonList(list: readonly unknown[]): Table {
  const objects: { line: number; object: Record<string, unknown> }[] = [];
  const bad: BadLine[] = [];
  for (const [i, value] of list.entries()) {
    if (isJsonObject(value)) objects.push({ line: i + 1, object: value });
    else bad.push({ line: i + 1, message: 'is not an object with a question and an answer' });
  }
  return tableOfObjects('JSON', objects, bad);
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
        bad.push({ line: start, message: `has a quote that is not closed or not doubled` });
      else if (columns === null) columns = data.map((name) => name.trim());
      else if (data.length !== columns.length)
        bad.push({
          line: start,
          message: `has ${data.length} ${data.length === 1 ? 'value' : 'values'}, and the header has ${columns.length} columns; put quotes around text that holds the delimiter`,
        });
      else records.push({ line: start, values: data });
    },
  });
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
    if (Array.isArray(json.value)) return readJsonList(json.value);
  }
  return head.startsWith('{') ? readJsonLines(text) : readDelimited(text);
}
