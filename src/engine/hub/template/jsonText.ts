/** Values of JSON as Python has them. */
import { Dict, TemplateError, textOf, type Value } from './values.ts';

/** The strings and the numbers of JSON. */
const STRINGS_AND_NUMBERS = /"((?:[^"\\]|\\.)*)"|-?\d[-+.\deE]*/g;

/** Reads a value whose strings begin with `s`, and whose numbers are strings that begin with `n`. */
function fromMarked(value: unknown): Value {
  if (typeof value === 'string') {
    const text = value.slice(1);
    if (value.startsWith('s')) return text;
    return /^-?\d+$/.test(text) ? BigInt(text) : Number(text);
  }
  if (value === null || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(fromMarked);
  return new Dict(Object.entries(value as object).map(([key, of]) => [key.slice(1), fromMarked(of)]));
}

/**
 * The value of a text of JSON, as Python reads it. JavaScript's own reader takes `1.0` for 1, cuts whole numbers beyond 2^53, and puts
 * the keys of an object that look like numbers first; a template would print all of that. The time is linear in the
 * length of the text.
 *
 * @throws Error if the text is no JSON.
 */
export function valueOfJson(text: string): Value {
  // What is no JSON is reported by the place that it has in the text itself.
  JSON.parse(text);
  const marked = text.replaceAll(STRINGS_AND_NUMBERS, (token, inside?: string) =>
    inside === undefined ? `"n${token}"` : `"s${inside}"`,
  );
  return fromMarked(JSON.parse(marked));
}

/** The variables in a field of a line of JSON. @throws TemplateError if it is no object. */
export function variablesIn(line: string, field: string): ReadonlyMap<string, Value> {
  const row = valueOfJson(line);
  const variables = row instanceof Dict ? row.get(field) : undefined;
  if (!(variables instanceof Dict)) throw new TemplateError(`${field} must be a JSON object`);
  return new Map(variables.entries().map(([name, value]) => [textOf(name) ?? '', value]));
}

/** A value that JavaScript has read from JSON. @throws TemplateError for what has no counterpart in Python. */
export function fromJson(value: unknown): Value {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') {
    if (!Number.isInteger(value)) return value;
    if (Number.isSafeInteger(value)) return BigInt(value);
    throw new TemplateError(`the number ${value} is beyond 2^53, where whole numbers are not kept exactly`);
  }
  if (Array.isArray(value)) return value.map(fromJson);
  if (typeof value === 'object') {
    const entries = Object.entries(value).filter(([, of]) => of !== undefined);
    return new Dict(entries.map(([key, of]) => [key, fromJson(of)] as const));
  }
  throw new TemplateError(`a ${typeof value} is no value of a template`);
}
