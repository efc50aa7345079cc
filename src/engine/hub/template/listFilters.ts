/** The filters of Jinja2 for lists and dicts. */
import { bound, positional } from './given.ts';
import { attributeKey, attributeKeys, withoutCase, type Key } from './keys.ts';
import { calculated, compare, equal, wholeNumber } from './operators.ts';
import { str } from './printing.ts';
import { tested } from './tests.ts';
import { Lazy, View } from './objects.ts';
import {
  Dict,
  each,
  isList,
  isTrue,
  iteratorOf,
  lengthOf,
  listOf,
  Markup,
  PyObject,
  pointsOf,
  TemplateError,
  textOf,
  Tuple,
  typeName,
  Undefined,
  type Given,
  type Value,
} from './values.ts';
import { spendOn } from './work.ts';

/** Applies the filter of a name. */
export type Filtered = (name: string, value: Value, given: Given) => Value;
export type Filter = (value: Value, given: Given, filtered: Filtered) => Value;

function length(value: Value, given: Given): bigint {
  positional('len', given, 0);
  const found = lengthOf(value);
  if (found === undefined) throw new TemplateError(`object of type '${typeName(value)}' has no len()`);
  return BigInt(found);
}

function first(value: Value, given: Given): Value {
  positional('first', given, 0);
  const iterator = iteratorOf(value);
  if (iterator === undefined) throw new TemplateError(`'${typeName(value)}' object is not iterable`);
  const next = iterator.next();
  return next.done === true ? new Undefined('No first item, sequence was empty.') : next.value;
}

/** The items from the last; null for what can't be read backwards. */
function backwards(value: Value): Value[] | null {
  const readable = !(value instanceof PyObject) || value instanceof View;
  return readable && iteratorOf(value) !== undefined ? listOf(value).reverse() : null;
}

function last(value: Value, given: Given): Value {
  positional('last', given, 0);
  const items = backwards(value);
  if (items === null) throw new TemplateError(`'${typeName(value)}' object is not reversible`);
  const [item] = items;
  return item === undefined ? new Undefined('No last item, sequence was empty.') : item;
}

function reverse(value: Value, given: Given): Value {
  positional('reverse', given, 0);
  const text = textOf(value);
  if (text !== null) {
    const turned = [...pointsOf(text)].reverse().join('');
    return value instanceof Markup ? new Markup(turned) : turned;
  }
  const items = backwards(value);
  if (items === null) return listOf(value).reverse();
  return new Lazy(items.values(), isList(value) ? 'list_reverseiterator' : 'reversed');
}

function join(value: Value, given: Given): string {
  const [between = '', attribute = null] = bound('join', given, ['d', 'attribute']);
  const key = attribute === null ? null : attributeKey(attribute);
  const separator = str(between);
  const pieces: string[] = [];
  for (const item of each(value)) {
    const piece = str(key === null ? item : key(item));
    spendOn(piece.length + separator.length);
    pieces.push(piece);
  }
  const text = pieces.join(separator);
  spendOn(text.length);
  return text;
}

/** Python's `sorted`: equal items keep their order, also backwards. */
function sorted(items: Value[], key: Key, backward: boolean): Value[] {
  const keyed = items.map((item) => ({ item, key: key(item) }));
  const sign = backward ? -1 : 1;
  return keyed.sort((a, b) => sign * compare(a.key, b.key)).map(({ item }) => item);
}

function sort(value: Value, given: Given): Value[] {
  const names = ['reverse', 'case_sensitive', 'attribute'];
  const [backward = false, caseSensitive = false, attribute = null] = bound('sort', given, names);
  return sorted(listOf(value), attributeKeys(attribute, withoutCase(caseSensitive)), isTrue(backward));
}

function dictsort(value: Value, given: Given): Value[] {
  const names = ['case_sensitive', 'by', 'reverse'];
  const [caseSensitive = false, by = 'key', backward = false] = bound('dictsort', given, names);
  const at = ['key', 'value'].indexOf(textOf(by) ?? '');
  if (at < 0) throw new TemplateError('You can only sort by either "key" or "value"');
  if (value instanceof Undefined) return value.raise();
  if (!(value instanceof Dict))
    throw new TemplateError(`'${typeName(value)}' object has no attribute 'items'`);
  const fold = withoutCase(caseSensitive);
  const pairs = value.entries().map((pair) => new Tuple(pair));
  return sorted(pairs, (pair) => fold((pair as Tuple).items[at] ?? null), isTrue(backward));
}

function* distinct(value: Value, key: Key): Generator<Value> {
  const seen = new Dict();
  for (const item of each(value)) {
    const found = key(item);
    if (seen.has(found)) continue;
    seen.set(found, true);
    yield item;
  }
}

function unique(value: Value, given: Given): Value {
  const [caseSensitive = false, attribute = null] = bound('unique', given, ['case_sensitive', 'attribute']);
  return new Lazy(distinct(value, attributeKey(attribute, null, withoutCase(caseSensitive))));
}

const extreme =
  (name: string, sign: 1 | -1): Filter =>
  (value, given) => {
    const [caseSensitive = false, attribute = null] = bound(name, given, ['case_sensitive', 'attribute']);
    const key = attributeKey(attribute, null, withoutCase(caseSensitive));
    let best: { readonly item: Value; readonly key: Value } | null = null;
    for (const item of each(value)) {
      const found = { item, key: key(item) };
      if (best === null || sign * compare(found.key, best.key, sign < 0 ? '<' : '>') > 0) best = found;
    }
    return best === null ? new Undefined('No aggregated item, sequence was empty.') : best.item;
  };

function sum(value: Value, given: Given): Value {
  const [attribute = null, start = 0n] = bound('sum', given, ['attribute', 'start']);
  if (textOf(start) !== null) throw new TemplateError("sum() can't sum strings [use ''.join(seq) instead]");
  const key = attributeKey(attribute);
  let total = start;
  for (const item of each(value)) total = calculated(total, key(item), '+');
  return total;
}

function* batches(value: Value, size: bigint, fill: Value): Generator<Value> {
  let part: Value[] = [];
  for (const item of each(value)) {
    if (BigInt(part.length) === size) {
      yield part;
      part = [];
    }
    part.push(item);
  }
  if (part.length === 0) return;
  const missing = Number(size) - part.length;
  spendOn(Math.max(missing, 0));
  yield fill === null || missing <= 0 ? part : [...part, ...Array.from({ length: missing }, () => fill)];
}

function* slices(value: Value, count: bigint, fill: Value): Generator<Value> {
  const items = listOf(value);
  if (count === 0n) throw new TemplateError('integer division or modulo by zero');
  const number = Number(count);
  spendOn(Math.max(number, 0));
  const size = Math.floor(items.length / number);
  const extra = items.length - size * number;
  let from = 0;
  for (let i = 0; i < number; i++) {
    const to = from + size + (i < extra ? 1 : 0);
    const part = items.slice(from, to);
    yield fill !== null && i >= extra ? [...part, fill] : part;
    from = to;
  }
}

function batch(value: Value, given: Given): Value {
  const [size = null, fill = null] = bound('batch', given, ['linecount', 'fill_with'], 1);
  return new Lazy(batches(value, wholeNumber(size), fill));
}

function slice(value: Value, given: Given): Value {
  const [count = null, fill = null] = bound('slice', given, ['slices', 'fill_with'], 1);
  return new Lazy(slices(value, wholeNumber(count), fill));
}

function* pairsOf(value: Value): Generator<Value> {
  if (value instanceof Undefined) return;
  if (!(value instanceof Dict)) throw new TemplateError('Can only get item pairs from a mapping.');
  for (const pair of value.entries()) yield new Tuple(pair);
}

/** The filter or the attribute that `map` applies to each item. */
function mapping({ args, named }: Given, filtered: Filtered): Key {
  const [name = null, ...rest] = args;
  const attribute = named.get('attribute');
  if (args.length === 0 && attribute !== undefined) {
    const [, usual = null] = bound('map', { args, named }, ['attribute', 'default']);
    return attributeKey(attribute, usual);
  }
  if (args.length === 0) throw new TemplateError('map requires a filter argument');
  const filter = textOf(name) ?? str(name);
  return (item) => filtered(filter, item, { args: rest, named });
}

function* mapped(value: Value, given: Given, filtered: Filtered): Generator<Value> {
  if (!isTrue(value)) return;
  const key = mapping(given, filtered);
  for (const item of each(value)) yield key(item);
}

function* selected(value: Value, given: Given, wanted: boolean, byAttribute: boolean): Generator<Value> {
  if (!isTrue(value)) return;
  const [attribute, ...others] = given.args;
  if (byAttribute && attribute === undefined) throw new TemplateError('Missing parameter for attribute name');
  const key: Key = byAttribute ? attributeKey(attribute ?? null) : (item) => item;
  const [test, ...args] = byAttribute ? others : given.args;
  for (const item of each(value)) {
    const found = key(item);
    const passes =
      test === undefined ? isTrue(found) : tested(str(test), found, { args, named: given.named });
    if (passes === wanted) yield item;
  }
}

const select =
  (wanted: boolean, byAttribute: boolean): Filter =>
  (value, given) =>
    new Lazy(selected(value, given, wanted, byAttribute));

function groupby(value: Value, given: Given): Value[] {
  const names = ['attribute', 'default', 'case_sensitive'];
  const [attribute = null, usual = null, caseSensitive = false] = bound('groupby', given, names, 1);
  const key = attributeKey(attribute, usual, withoutCase(caseSensitive));
  const own = attributeKey(attribute, usual);
  const groups: { readonly key: Value; readonly items: Value[] }[] = [];
  for (const item of sorted(listOf(value), key, false)) {
    const found = key(item);
    const group = groups.at(-1);
    if (group !== undefined && equal(group.key, found)) group.items.push(item);
    else groups.push({ key: found, items: [item] });
  }
  return groups.map(({ items }) => new Tuple([own(items[0] ?? null), items], ['grouper', 'list']));
}

export const LIST_FILTERS: ReadonlyMap<string, Filter> = new Map<string, Filter>([
  ['length', length],
  ['count', length],
  ['first', first],
  ['last', last],
  ['reverse', reverse],
  ['join', join],
  ['sort', sort],
  ['dictsort', dictsort],
  ['unique', unique],
  ['min', extreme('min', -1)],
  ['max', extreme('max', 1)],
  ['sum', sum],
  ['batch', batch],
  ['slice', slice],
  ['groupby', groupby],
  ['map', (value, given, filtered) => new Lazy(mapped(value, given, filtered))],
  ['select', select(true, false)],
  ['reject', select(false, false)],
  ['selectattr', select(true, true)],
  ['rejectattr', select(false, true)],
  [
    'items',
    (value, given) => {
      positional('items', given, 0);
      return new Lazy(pairsOf(value));
    },
  ],
  [
    'list',
    (value, given) => {
      positional('list', given, 0);
      return listOf(value);
    },
  ],
]);
