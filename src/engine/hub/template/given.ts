/** The arguments of calls, put to the names of parameters as Python does. */
import { str } from './printing.ts';
import { TemplateError, textOf, typeName, Undefined, type Given, type Value } from './values.ts';
import { wholeNumber } from './operators.ts';

export const NOTHING_GIVEN: Given = { args: [], named: new Map() };

/**
 * The values of the parameters `names` in order; undefined, which is no value, for one that was not given.
 *
 * @throws TemplateError for too many, unknown or missing arguments.
 */
export function bound(
  what: string,
  { args, named }: Given,
  names: readonly string[],
  required = 0,
): (Value | undefined)[] {
  if (args.length > names.length)
    throw new TemplateError(`${what}() takes at most ${names.length} arguments (${args.length} given)`);
  const values: (Value | undefined)[] = names.map((_, i) => args[i]);
  for (const [name, value] of named) {
    const at = names.indexOf(name);
    if (at < 0) throw new TemplateError(`${what}() got an unexpected keyword argument '${name}'`);
    if (values[at] !== undefined)
      throw new TemplateError(`${what}() got multiple values for argument '${name}'`);
    values[at] = value;
  }
  const missing = values.findIndex((value, i) => i < required && value === undefined);
  if (missing >= 0) throw new TemplateError(`${what}() missing required argument: '${names[missing] ?? ''}'`);
  return values;
}

/** The arguments of a function that takes them by position alone. */
export function positional(what: string, given: Given, most: number, required = 0): (Value | undefined)[] {
  if (given.named.size > 0) throw new TemplateError(`${what}() takes no keyword arguments`);
  const { length } = given.args;
  if (length < required || length > most)
    throw new TemplateError(`${what}() takes from ${required} to ${most} arguments (${length} given)`);
  return Array.from({ length: most }, (_, i) => given.args[i]);
}

/** A str argument. */
export function textArgument(what: string, value: Value | undefined): string {
  const text = textOf(value);
  if (text !== null) return text;
  const found = value === undefined ? 'nothing' : typeName(value);
  throw new TemplateError(`${what}() argument must be str, not ${found}`);
}

/** An int argument that may be left out. */
export function intArgument(value: Value | undefined, usual: number): number {
  return value === undefined ? usual : Number(wholeNumber(value));
}

/** Jinja2's `soft_str`: a text as it is, anything else as Python's `str` writes it. */
export function softText(value: Value | undefined): string {
  return value === undefined ? '' : (textOf(value) ?? str(value));
}

/** @throws TemplateError if the value is undefined in the template, where Python would need more than its text. */
export function defined(value: Value): Value {
  return value instanceof Undefined ? value.raise() : value;
}
