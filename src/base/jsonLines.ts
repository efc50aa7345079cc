/** JSONL that comes from outside: one JSON value on each line. What a row of it must be, its reader says. */
import { messageOf } from './errors.ts';

export interface JsonLine {
  /** 1 is the first of the text; empty lines count. */
  readonly line: number;
  readonly text: string;
  /** What the line holds, or why it is no JSON. */
  readonly json: { readonly value: unknown } | { readonly error: string };
}

/** The lines of a text that are not blank, in order. A byte order mark is passed over; `\n`, `\r\n` and `\r` end a line. */
export function* jsonLines(text: string): Generator<JsonLine> {
  for (const [i, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .entries())
    if (line.trim() !== '') yield { line: i + 1, text: line, json: parsedJson(line) };
}

/** What a text holds, or why it is no JSON. */
export function parsedJson(text: string): JsonLine['json'] {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { error: messageOf(error) };
  }
}

/** Whether a value of JSON is an object: neither a list nor null. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
