/** Values of JSON as Python has them. */
import { readPythonJson } from '@rl-playground/base/pythonJson';
import { Dict, TemplateError, textOf, type Value } from './values.ts';

/** The variables in a field of a line of JSON, as Python reads it. @throws TemplateError if it is no object, SyntaxError if the line is no JSON. */
export function variablesIn(line: string, field: string): ReadonlyMap<string, Value> {
  const row = readPythonJson<Value>(line, {
    list: (items) => items,
    dict: (entries) => new Dict(entries),
  });
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
