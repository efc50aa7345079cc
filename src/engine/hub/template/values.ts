/**
 * Python's values in templates. None is null, an int is a bigint, a float is a number, a str is a string, and a list is an array; the rest
 * are the classes below.
 */
import { spend, spendOn, spendOnParts } from './work.ts';

/** An error that Jinja2 raises too, or a refusal of a thing that can't be done here as Jinja2 does it. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/** The arguments of a call. */
export interface Given {
  readonly args: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;
}

export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | readonly Value[]
  | Markup
  | Tuple
  | Dict
  | Range
  | Bytes
  | Undefined
  | PyObject;

/** Jinja2's Undefined: it prints nothing, and most other uses of it raise. */
export class Undefined {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }

  raise(): never {
    throw new TemplateError(this.why);
  }
}

/** A text marked as safe for HTML, as the filters `escape` and `safe` make it. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export class Tuple {
  readonly items: readonly Value[];
  /** The names of the items, for a named tuple. */
  readonly names: readonly string[];

  constructor(items: readonly Value[], names: readonly string[] = []) {
    this.items = items;
    this.names = names;
  }
}

export class Bytes {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

/** A text that is the same for equal keys: 1, 1.0 and True are one key. */
function keyText(key: Value): string {
  if (typeof key === 'string') return `s${key}`;
  if (typeof key === 'bigint') return `n${key}`;
  if (typeof key === 'boolean') return key ? 'n1' : 'n0';
  if (typeof key === 'number') return Number.isInteger(key) ? `n${BigInt(key)}` : `f${key}`;
  if (key === null) return 'none';
  if (key instanceof Markup) return `s${key.text}`;
  if (key instanceof Tuple) {
    spendOn(key.items.length);
    return `t${key.items.map((item) => (spend(), JSON.stringify(keyText(item)))).join()}`;
  }
  if (key instanceof Undefined) return 'undefined';
  throw new TemplateError(`unhashable type: '${typeName(key)}'`);
}

export class Dict {
  readonly #entries = new Map<string, readonly [Value, Value]>();

  constructor(entries: Iterable<readonly [Value, Value]> = []) {
    for (const [key, value] of entries) this.set(key, value);
  }

  /** Only for a dict that is being made: no template can change one. */
  set(key: Value, value: Value): void {
    spend();
    const text = keyText(key);
    this.#entries.set(text, [this.#entries.get(text)?.[0] ?? key, value]);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The value of a key; undefined, which is no value, where the dict lacks it. */
  get(key: Value): Value | undefined {
    return this.#entries.get(keyText(key))?.[1];
  }

  has(key: Value): boolean {
    return this.#entries.has(keyText(key));
  }

  entries(): (readonly [Value, Value])[] {
    spendOn(this.size);
    return [...this.#entries.values()];
  }

  keys(): Value[] {
    return this.entries().map(([key]) => key);
  }
}

export class Range {
  readonly start: bigint;
  readonly stop: bigint;
  readonly step: bigint;

  constructor(start: bigint, stop: bigint, step: bigint) {
    if (step === 0n) throw new TemplateError('range() arg 3 must not be zero');
    this.start = start;
    this.stop = stop;
    this.step = step;
  }

  get length(): number {
    const { start, stop, step } = this;
    const length = step > 0n ? (stop - start + step - 1n) / step : (start - stop - step - 1n) / -step;
    return length < 0n ? 0 : Number(length);
  }

  at(index: number): bigint {
    return this.start + BigInt(index) * this.step;
  }
}

/** Any other object of Python or Jinja2. */
export abstract class PyObject {
  abstract readonly type: string;

  /** An attribute by its name; undefined, which is no value, where the object lacks it. */
  attribute(_name: string): Value | undefined {
    return undefined;
  }

  /** Python's `str` of the object. */
  text(): string {
    throw new TemplateError(
      `a ${this.type} would be printed with its address in memory, which is another each time`,
    );
  }

  /** The number of its items; undefined where Python's `len` raises. */
  length(): number | undefined {
    return undefined;
  }

  /** Its items; undefined where it can't be iterated. */
  iterate(): Iterator<Value> | undefined {
    return undefined;
  }

  /** The result of a call; undefined where the object can't be called. */
  call(_given: Given): Value | undefined {
    return undefined;
  }

  get callable(): boolean {
    return false;
  }
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

/** The name of a value's type in Python. */
export function typeName(value: Value): string {
  if (value === null) return 'NoneType';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return 'float';
  if (typeof value === 'string') return 'str';
  if (value instanceof Markup) return 'Markup';
  if (value instanceof Tuple) return 'tuple';
  if (value instanceof Dict) return 'dict';
  if (value instanceof Range) return 'range';
  if (value instanceof Bytes) return 'bytes';
  if (value instanceof Undefined) return 'Undefined';
  return value instanceof PyObject ? value.type : 'list';
}

/** The number of an int, a float or a bool; null for any other value. */
export function numberOf(value: Value | undefined): bigint | number | null {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  return typeof value === 'bigint' || typeof value === 'number' ? value : null;
}

/** The text of a str or a Markup; null for any other value. */
export function textOf(value: Value | undefined): string | null {
  if (typeof value === 'string') return value;
  return value instanceof Markup ? value.text : null;
}

/** The text as characters, which JavaScript's strings are not: `'😀'.length` is 2. */
export function pointsOf(text: string): readonly string[] {
  spendOnParts(text.length);
  return [...text];
}

const SURROGATE = /[\ud800-\udfff]/;

/** True if each character of the text is one unit of JavaScript's. */
export function isPlain(text: string): boolean {
  spendOn(text.length);
  return !SURROGATE.test(text);
}

/** The character at a place, counted from 0. */
export function characterAt(text: string, place: number): string | undefined {
  return isPlain(text) ? text[place] : pointsOf(text)[place];
}

/** The number of characters of a text. */
export function lengthOfText(text: string): number {
  return isPlain(text) ? text.length : pointsOf(text).length;
}

/** Python's `len`; undefined where it raises. */
export function lengthOf(value: Value): number | undefined {
  const text = textOf(value);
  if (text !== null) return lengthOfText(text);
  if (value instanceof Undefined) return 0;
  if (value instanceof Dict) return value.size;
  if (value instanceof Tuple) return value.items.length;
  if (value instanceof Range) return value.length;
  if (value instanceof Bytes) return value.bytes.length;
  if (value instanceof PyObject) return value.length();
  return isList(value) ? value.length : undefined;
}

/** Python's `bool`. */
export function isTrue(value: Value): boolean {
  if (typeof value === 'object' && value !== null) {
    if (value instanceof Markup) return value.text !== '';
    return lengthOf(value) !== 0;
  }
  return typeof value === 'number' ? value !== 0 : Boolean(value);
}

function* rangeValues(range: Range): Generator<Value> {
  const { length } = range;
  for (let i = 0; i < length; i++) yield range.at(i);
}

export function bytesOf({ bytes }: Bytes): number[] {
  // A byte takes the work of a character that is taken apart, and is a value of its own then.
  spend(bytes.length);
  return [...bytes];
}

/** Python's `iter`; undefined where it raises. */
export function iteratorOf(value: Value): Iterator<Value> | undefined {
  const text = textOf(value);
  if (text !== null) return pointsOf(text).values();
  if (value instanceof Undefined) return [].values();
  if (value instanceof Dict) return value.keys().values();
  if (value instanceof Tuple) return value.items.values();
  if (value instanceof Range) return rangeValues(value);
  if (value instanceof Bytes) return bytesOf(value).map(BigInt).values();
  if (value instanceof PyObject) return value.iterate();
  return isList(value) ? value.values() : undefined;
}

/** Iterates over a value. Each item is a step. @throws TemplateError if it can't be iterated. */
export function* each(value: Value): Generator<Value, void> {
  const iterator = iteratorOf(value);
  if (iterator === undefined) throw new TemplateError(`'${typeName(value)}' object is not iterable`);
  for (let next = iterator.next(); next.done !== true; next = iterator.next()) {
    spend();
    yield next.value;
  }
}

/** Python's `list`. */
export function listOf(value: Value): Value[] {
  const list: Value[] = [];
  for (const item of each(value)) list.push(item);
  spendOn(list.length);
  return list;
}
