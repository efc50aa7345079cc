/** Values that Python's readers of data make out of text, and how Python orders them. */
import { compareStrings } from '@rl-playground/base/pythonText';

export interface PythonSequence {
  readonly kind: 'list' | 'tuple' | 'set' | 'bytes';
  readonly items: readonly PythonValue[];
}

export interface PythonDict {
  readonly kind: 'dict';
  /** The entries in the order of the first appearance of each key. */
  readonly entries: readonly (readonly [key: PythonValue, value: PythonValue])[];
}

/** `None` is null, `int` a bigint, `float` a number. */
export type PythonValue = null | boolean | bigint | number | string | PythonSequence | PythonDict;

/** Python raises where it meets such a value or comparison. */
export class PythonError extends Error {}

/** The items that iterating over a value yields; strings yield their code points. Throws a PythonError for a value without any. */
export function iterate(value: PythonValue): readonly PythonValue[] {
  if (typeof value === 'string') return Array.from(value);
  if (value === null || typeof value !== 'object')
    throw new PythonError(`A ${value === null ? 'None' : typeof value} is not iterable.`);
  return value.kind === 'dict' ? value.entries.map(([key]) => key) : value.items;
}

const asNumber = (value: PythonValue): number | bigint | null =>
  typeof value === 'boolean'
    ? Number(value)
    : typeof value === 'number' || typeof value === 'bigint'
      ? value
      : null;

/**
 * Compares two values like Python's `sorted`: below 0, 0 or above. Throws a PythonError if Python cannot order them; dicts and sets count
 * as such even inside equal lists. Linear in their size.
 */
export function compareValues(a: PythonValue, b: PythonValue): number {
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b);
  const [x, y] = [asNumber(a), asNumber(b)];
  if (x !== null && y !== null) return x < y ? -1 : x > y ? 1 : 0;
  const sequences =
    a !== null && b !== null && typeof a === 'object' && typeof b === 'object' && a.kind === b.kind;
  if (!sequences || a.kind === 'dict' || b.kind === 'dict' || a.kind === 'set')
    throw new PythonError('Values of these kinds have no order.');
  for (let i = 0; i < a.items.length && i < b.items.length; i++) {
    const [left = null, right = null] = [a.items[i], b.items[i]];
    // None has no order, but equal items are passed over before they are ordered.
    const order = left === null && right === null ? 0 : compareValues(left, right);
    if (order !== 0) return order;
  }
  return Math.sign(a.items.length - b.items.length);
}

/** A text that scalars share if they are the same key of a dict, such as `1`, `1.0` and `True`, or null for a collection. */
export function scalarKey(value: PythonValue): string | null {
  const number = asNumber(value);
  if (number !== null) return `n${Number.isInteger(number) ? BigInt(number) : number}`;
  if (value === null) return 'None';
  return typeof value === 'string' ? `s${value}` : null;
}

/** `str.join('', value)`. Throws a PythonError where it raises. */
export function joinText(value: PythonValue): string {
  return iterate(value)
    .map((item) => {
      if (typeof item !== 'string') throw new PythonError('Only strings can be joined.');
      return item;
    })
    .join('');
}
