/** JSON that comes from outside or goes there, and JSONL, which is one JSON value on each line. */
import type { z } from 'zod';
import { messageOf } from './errors.ts';

export interface JsonLine {
  /** The number of the line in the text, from 1; empty lines count. */
  readonly line: number;
  readonly text: string;
  /** The value on the line, or the reason why it is no JSON. */
  readonly json: { readonly value: unknown } | { readonly error: string };
}

/** The lines of a text that are not blank, in order. A byte order mark is passed over; `\n`, `\r\n` and `\r` end a line. */
export function* jsonLines(text: string, parse = parsedJson): Generator<JsonLine> {
  const breaks = /\r\n|\n|\r|$/g;
  let begin = text.startsWith('\uFEFF') ? 1 : 0;
  for (let line = 1; begin <= text.length; line++) {
    breaks.lastIndex = begin;
    const found = breaks.exec(text);
    const end = found?.index ?? text.length;
    const own = text.slice(begin, end);
    if (own.trim() !== '') yield { line, text: own, json: parse(own) };
    begin = end + Math.max(1, found?.[0].length ?? 0);
  }
}

/** Parses a text, or says why it is no JSON. It never throws. */
export function parsedJson(text: string): JsonLine['json'] {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { error: messageOf(error) };
  }
}

/** Quotes and escapes, by which texts are told from what is outside of them, numbers, and those that Python writes and JSON lacks. */
const TOKENS = /\\.|"|-?\d[-+.\deE]*|\bNaN\b|-?\bInfinity\b/g;

/** The JSON with its numbers, NaN and Infinity as `change` gives them, and its texts behind a mark. */
export function withNumbers(json: string, change: (token: string, at: number) => string, mark = ''): string {
  let inText = false;
  return json.replaceAll(TOKENS, (token, at: number) => {
    if (token !== '"') return inText || token.startsWith('\\') ? token : change(token, at);
    inText = !inText;
    return inText ? token + mark : token;
  });
}

/** Finds a text that may hold a number which a double would write otherwise; most have none. */
const UNUSUAL = /[\d.]{16}|\.\d*0(?!\d)|\.0{6}|\d[eE]|-0/;

/**
 * Parses a text as `parsedJson` does, but a number that a double would not hold or would write otherwise (9007199254740993, 3.10, 1e3)
 * becomes its text, and NaN, which Python writes, null. Its time is linear in the length of the text.
 */
export function exactJson(text: string): JsonLine['json'] {
  const plain = parsedJson(text);
  if ('error' in plain && !text.includes('NaN')) return plain;
  const sound = 'error' in plain ? withNumbers(text, (token) => (token === 'NaN' ? 'null' : token)) : text;
  const json = sound === text ? plain : parsedJson(sound);
  if ('error' in json) return plain;
  if (!UNUSUAL.test(sound)) return json;
  const exact = withNumbers(sound, (token) => (String(Number(token)) === token ? token : `"${token}"`));
  return exact === sound ? json : parsedJson(exact);
}

/** A value of JSON as a message quotes it: cut behind `most` characters, and never an error, however deep it is. */
export function shownJson(value: unknown, most: number): string {
  try {
    const text = JSON.stringify(value) ?? String(value);
    return text.length > most ? `${text.slice(0, most)}…` : text;
  } catch {
    return 'a value too deep to be shown';
  }
}

/** The number itself, or null for NaN and infinity, which JSON does not have. */
export function jsonNumber(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null;
}

/** Returns true for an object; lists and null are none. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** JSON as the files of a run and of a model have it. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** The bytes of `jsonText`. */
export function jsonBytes(value: unknown): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(jsonText(value));
}

/** Returns `json` as the schema gives it. @throws Error naming the first field that does not fit. */
export function checked<T>(schema: z.ZodType<T>, json: unknown): T {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new Error(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`);
}
