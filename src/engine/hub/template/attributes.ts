/** Attributes and items of values, as Jinja2's sandbox finds them: `a.b`, `a["b"]`, `a[0]` and slices. */
import { formatText, type Lookup } from './formatSpec.ts';
import { positional } from './given.ts';
import { equal, wholeNumber } from './operators.ts';
import { repr } from './printing.ts';
import { textMethod } from './textMethods.ts';
import { Fn, View } from './objects.ts';
import {
  Bytes,
  characterAt,
  Dict,
  isList,
  isPlain,
  lengthOf,
  lengthOfText,
  listOf,
  Markup,
  pointsOf,
  PyObject,
  Range,
  TemplateError,
  textOf,
  Tuple,
  typeName,
  Undefined,
  type Given,
  type Value,
  numberOf,
} from './values.ts';
import { spendOn } from './work.ts';

/** Attributes of Python that exist and are not built here, by the type. */
const NOT_HERE: Readonly<Record<string, readonly string[]>> = {
  bool: ['as_integer_ratio', 'bit_count', 'bit_length', 'from_bytes', 'to_bytes', 'is_integer'],
  int: ['as_integer_ratio', 'bit_count', 'bit_length', 'from_bytes', 'to_bytes', 'is_integer'],
  float: ['as_integer_ratio', 'fromhex', 'hex'],
  dict: ['fromkeys'],
  dict_keys: ['isdisjoint', 'mapping'],
  dict_items: ['isdisjoint', 'mapping'],
  dict_values: ['mapping'],
  generator: ['close', 'send', 'throw', 'gi_code', 'gi_frame', 'gi_running', 'gi_suspended', 'gi_yieldfrom'],
};

/** The methods that would change a value, by the type. The sandbox forbids them. */
const CHANGES: Readonly<Record<string, readonly string[]>> = {
  list: ['append', 'clear', 'extend', 'insert', 'pop', 'remove', 'reverse', 'sort'],
  dict: ['clear', 'pop', 'popitem', 'setdefault', 'update'],
};

function shownType(value: Value): string {
  return value === null ? 'None' : `${typeName(value)} object`;
}

function missing(value: Value, key: Value): Undefined {
  if (typeof key === 'string') return new Undefined(`'${shownType(value)}' has no attribute '${key}'`);
  return new Undefined(`${shownType(value)} has no element ${repr(key)}`);
}

function unsafe(value: Value, name: string): Undefined {
  return new Undefined(`access to attribute '${name}' of '${typeName(value)}' object is unsafe.`);
}

function indexIn(items: readonly Value[], given: Given): bigint {
  const [wanted = null, from, to] = positional('index', given, 3, 1);
  const place = (at: Value | undefined, usual: number): number => {
    const whole = at === undefined ? usual : Number(wholeNumber(at));
    return whole < 0 ? Math.max(whole + items.length, 0) : whole;
  };
  const [start, end] = [place(from, 0), place(to, items.length)];
  const at = items.findIndex((item, i) => i >= start && i < end && equal(item, wanted));
  if (at >= 0) return BigInt(at);
  throw new TemplateError(`${repr(wanted)} is not in list`);
}

function countIn(items: readonly Value[], given: Given): bigint {
  const [wanted = null] = positional('count', given, 1, 1);
  return BigInt(items.filter((item) => equal(item, wanted)).length);
}

function sequenceMethod(items: () => readonly Value[], name: string): Value | undefined {
  if (name === 'index') return new Fn((given) => indexIn(items(), given));
  return name === 'count' ? new Fn((given) => countIn(items(), given)) : undefined;
}

function dictMethod(dict: Dict, name: string): Value | undefined {
  if (name === 'keys' || name === 'values' || name === 'items')
    return new Fn((given) => {
      positional(name, given, 0);
      return new View(dict, name);
    });
  if (name === 'copy') return new Fn(() => new Dict(dict.entries()));
  if (name !== 'get') return undefined;
  return new Fn((given) => {
    const [key = null, usual = null] = positional('get', given, 2, 1);
    const value = dict.get(key);
    return value === undefined ? usual : value;
  });
}

function numberAttribute(value: boolean | bigint | number, name: string): Value | undefined {
  const number = numberOf(value) ?? 0n;
  const whole = typeof number === 'bigint';
  if (name === 'real' || (whole && name === 'numerator')) return number;
  if (name === 'imag') return whole ? 0n : 0;
  if (whole && name === 'denominator') return 1n;
  if (name === 'conjugate') return new Fn(() => number);
  return !whole && name === 'is_integer' ? new Fn(() => Number.isInteger(number)) : undefined;
}

const LOOKUP: Lookup = { attributeOf, itemOf };

function formatMap(text: string, given: Given): string {
  const [mapping] = positional('format_map', given, 1, 1);
  if (!(mapping instanceof Dict)) throw new TemplateError('format_map() takes a dict here');
  const named = mapping.entries().map(([key, value]) => [textOf(key) ?? repr(key), value] as const);
  return formatText(text, { args: [], named: new Map(named) }, LOOKUP);
}

/** An attribute that Python's own type has; undefined, which is no value, if it has none of that name. */
function own(value: Value, name: string): Value | undefined {
  const type = typeName(value);
  if (NOT_HERE[type]?.includes(name) === true)
    throw new TemplateError(`the attribute ${name} of a ${type} is not known here`);
  if (typeof value === 'string') {
    if (name === 'format') return new Fn((given) => formatText(value, given, LOOKUP));
    if (name === 'format_map') return new Fn((given) => formatMap(value, given));
    const method = textMethod(name);
    return method === null ? undefined : new Fn((given) => method(value, given));
  }
  if (value instanceof Markup || value instanceof Bytes)
    throw new TemplateError(`the attribute ${name} of a ${type} is not known here`);
  if (typeof value === 'boolean' || typeof value === 'bigint' || typeof value === 'number')
    return numberAttribute(value, name);
  if (value instanceof Dict) return dictMethod(value, name);
  if (value instanceof Range) {
    if (name === 'start' || name === 'stop' || name === 'step') return value[name];
    return sequenceMethod(() => listOf(value), name);
  }
  if (value instanceof Tuple) {
    const at = value.names.indexOf(name);
    return at < 0 ? sequenceMethod(() => value.items, name) : value.items[at];
  }
  if (value instanceof PyObject) return value.attribute(name);
  if (!isList(value)) return undefined;
  if (name === 'copy') return new Fn(() => listOf(value));
  return sequenceMethod(() => value, name);
}

/** `value.name` without a look at its items. */
export function ownAttribute(value: Value, name: string): Value | undefined {
  if (value instanceof Undefined) return value.raise();
  if (/^__\w+__$/.test(name)) return unsafe(value, name);
  if (CHANGES[typeName(value)]?.includes(name) === true) return unsafe(value, name);
  const found = own(value, name);
  return found !== undefined && name.startsWith('_') ? unsafe(value, name) : found;
}

/** The value of a key in a dict or another object with items by name; undefined, which is no value, for a key that it lacks. */
function keyed(value: Value, key: Value): Value | undefined {
  if (!(value instanceof Dict)) return undefined;
  const hashable = !isList(key) && !(key instanceof Dict);
  return hashable ? value.get(key) : undefined;
}

/** Jinja2's `value.name`: an attribute, or else an item. */
export function attributeOf(value: Value, name: string): Value {
  const found = ownAttribute(value, name);
  if (found !== undefined) return found;
  const item = keyed(value, name);
  return item === undefined ? missing(value, name) : item;
}

/** The item at a position of a sequence; undefined, which is no value, beyond its ends. */
function at(value: Value, position: bigint): Value | undefined {
  const length = lengthOf(value) ?? 0;
  const place = Number(position < 0n ? position + BigInt(length) : position);
  if (place < 0 || place >= length) return undefined;
  const text = textOf(value);
  if (text !== null) {
    const point = characterAt(text, place);
    return value instanceof Markup && point !== undefined ? new Markup(point) : point;
  }
  if (value instanceof Range) return value.at(place);
  if (value instanceof Bytes) return BigInt(value.bytes[place] ?? 0);
  return (value instanceof Tuple ? value.items : isList(value) ? value : [])[place];
}

/** Jinja2's `value[key]`: an item, or else an attribute. */
export function itemOf(value: Value, key: Value): Value {
  if (value instanceof Undefined) return value.raise();
  const position = numberOf(key);
  const found =
    value instanceof Dict
      ? keyed(value, key)
      : typeof position === 'bigint'
        ? at(value, position)
        : undefined;
  if (found !== undefined) return found;
  const name = textOf(key);
  const attribute = name === null ? undefined : ownAttribute(value, name);
  return attribute === undefined ? missing(value, name ?? key) : attribute;
}

interface Slice {
  readonly start: number;
  readonly end: number;
  readonly step: number;
}

/** Python's slice of so many items. */
function sliceIn(length: number, bounds: readonly [Value, Value, Value]): Slice {
  const [from, to, by] = bounds.map((bound) => (bound === null ? null : Number(sliceIndex(bound))));
  const step = by ?? 1;
  if (step === 0) throw new TemplateError('slice step cannot be zero');
  const lowest = step < 0 ? -1 : 0;
  const highest = step < 0 ? length - 1 : length;
  const place = (value: number | null | undefined, usual: number): number => {
    if (value == null) return usual;
    return value < 0 ? Math.max(value + length, lowest) : Math.min(value, highest);
  };
  return {
    start: place(from, step < 0 ? highest : lowest),
    end: place(to, step < 0 ? lowest : highest),
    step,
  };
}

function cut<Item>(items: readonly Item[], { start, end, step }: Slice): readonly Item[] {
  if (step === 1) return items.slice(start, Math.max(start, end));
  const part: Item[] = [];
  for (let i = start; step < 0 ? i > end : i < end; i += step) part.push(...items.slice(i, i + 1));
  return part;
}

function sliceIndex(value: Value): bigint {
  if (value instanceof Undefined) return value.raise();
  const number = numberOf(value);
  if (typeof number === 'bigint') return number;
  throw new TemplateError('slice indices must be integers or None or have an __index__ method');
}

/** Python's `value[from:to:step]`. */
export function sliceOf(value: Value, bounds: readonly [Value, Value, Value]): Value {
  if (value instanceof Undefined) return value.raise();
  const text = textOf(value);
  if (text !== null) {
    const slice = sliceIn(lengthOfText(text), bounds);
    const plain = slice.step === 1 && isPlain(text);
    const part = plain
      ? text.slice(slice.start, Math.max(slice.start, slice.end))
      : cut(pointsOf(text), slice).join('');
    return value instanceof Markup ? new Markup(part) : part;
  }
  const items = value instanceof Tuple ? value.items : isList(value) ? value : null;
  if (items !== null) {
    spendOn(items.length);
    const part = cut(items, sliceIn(items.length, bounds));
    return value instanceof Tuple ? new Tuple(part) : part;
  }
  if (value instanceof Dict) throw new TemplateError("unhashable type: 'slice'");
  if (value instanceof Range || value instanceof Bytes)
    throw new TemplateError(`a slice of a ${typeName(value)} is not known here`);
  throw new TemplateError(`'${typeName(value)}' object is not subscriptable`);
}

/** The call of a value. @throws TemplateError if it can't be called. */
export function called(value: Value, given: Given): Value {
  if (value instanceof Undefined) return value.raise();
  const result = value instanceof PyObject ? value.call(given) : undefined;
  if (result === undefined) throw new TemplateError(`'${typeName(value)}' object is not callable`);
  return result;
}
