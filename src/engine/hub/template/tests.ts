/** The tests of Jinja2, such as `x is defined`. */
import { positional, softText } from './given.ts';
import { calculated, compare, contains, equal } from './operators.ts';
import { FILTER_NAMES, TEST_NAMES } from './names.ts';
import { isOfKind } from './textCases.ts';
import { View } from './objects.ts';
import {
  Dict,
  iteratorOf,
  lengthOf,
  Markup,
  PyObject,
  TemplateError,
  textOf,
  Undefined,
  type Given,
  type Value,
  numberOf,
} from './values.ts';

type Test = (value: Value, given: Given) => boolean;

/** A test without arguments. */
const plain =
  (name: string, test: (value: Value) => boolean): Test =>
  (value, given) => {
    positional(name, given, 0);
    return test(value);
  };

const withOther =
  (name: string, test: (value: Value, other: Value) => boolean): Test =>
  (value, given) => {
    const [other = null] = positional(name, given, 1, 1);
    return test(value, other);
  };

const rest = (value: Value, by: Value): Value => calculated(value, by, '%');

/** True for a value that has a length and items by position or key. */
function isSequence(value: Value): boolean {
  if (value instanceof View) return false;
  return value instanceof PyObject ? false : lengthOf(value) !== undefined;
}

/** Python's `is`, where it is sure that it is the same for the same values. */
function isSame(value: Value, other: Value): boolean {
  if (value === other && typeof value === 'object') return true;
  if (typeof value === 'boolean' || typeof other === 'boolean') return value === other;
  if (typeof value !== typeof other || !equal(value, other)) return false;
  if (typeof value === 'bigint' && value >= -5n && value <= 256n) return true;
  if (typeof value === 'object') return false;
  throw new TemplateError('whether two equal numbers or texts are one object is not known here; use ==');
}

/** Python looks names up in a dict, which lists and dicts can't be keys of. */
function isNameIn(names: ReadonlySet<string>, value: Value): boolean {
  return new Dict([...names].map((name) => [name, true] as const)).has(value);
}

const isNumber = (value: Value): boolean => numberOf(value) !== null;

const sign = {
  eq: equal,
  ne: (a: Value, b: Value) => !equal(a, b),
  lt: (a: Value, b: Value) => compare(a, b, '<') < 0,
  le: (a: Value, b: Value) => compare(a, b, '<=') <= 0,
  gt: (a: Value, b: Value) => compare(a, b, '>') > 0,
  ge: (a: Value, b: Value) => compare(a, b, '>=') >= 0,
} as const;

const COMPARISONS = {
  eq: sign.eq,
  '==': sign.eq,
  equalto: sign.eq,
  ne: sign.ne,
  '!=': sign.ne,
  lt: sign.lt,
  '<': sign.lt,
  lessthan: sign.lt,
  le: sign.le,
  '<=': sign.le,
  gt: sign.gt,
  '>': sign.gt,
  greaterthan: sign.gt,
  ge: sign.ge,
  '>=': sign.ge,
  in: (value: Value, container: Value) => contains(container, value),
  sameas: isSame,
  divisibleby: (value: Value, by: Value) => equal(rest(value, by), 0n),
};

const PLAIN = {
  defined: (value: Value) => !(value instanceof Undefined),
  undefined: (value: Value) => value instanceof Undefined,
  none: (value: Value) => value === null,
  boolean: (value: Value) => typeof value === 'boolean',
  true: (value: Value) => value === true,
  false: (value: Value) => value === false,
  integer: (value: Value) => typeof value === 'bigint',
  float: (value: Value) => typeof value === 'number',
  number: isNumber,
  string: (value: Value) => textOf(value) !== null,
  mapping: (value: Value) => value instanceof Dict,
  sequence: isSequence,
  iterable: (value: Value) => iteratorOf(value) !== undefined,
  callable: (value: Value) => value instanceof Undefined || (value instanceof PyObject && value.callable),
  escaped: (value: Value) => value instanceof Markup,
  odd: (value: Value) => equal(rest(value, 2n), 1n),
  even: (value: Value) => equal(rest(value, 2n), 0n),
  lower: (value: Value) => isOfKind('islower', softText(value)) === true,
  upper: (value: Value) => isOfKind('isupper', softText(value)) === true,
  filter: (value: Value) => isNameIn(FILTER_NAMES, value),
  test: (value: Value) => isNameIn(TEST_NAMES, value),
};

const TESTS = new Map<string, Test>([
  ...Object.entries(COMPARISONS).map(([name, test]) => [name, withOther(name, test)] as const),
  ...Object.entries(PLAIN).map(([name, test]) => [name, plain(name, test)] as const),
]);

/** @throws TemplateError if there is no test of that name. */
export function tested(name: string, value: Value, given: Given): boolean {
  const test = TESTS.get(name);
  if (test === undefined) throw new TemplateError(`No test named '${name}' found.`);
  return test(value, given);
}
