/** Python's operators: comparison, arithmetic, `in`, and positions. */
import { compareStrings } from '@rl-playground/base/pythonText';
import { power } from './numberFormat.ts';
import { str, repr } from './printing.ts';
import { percentFormatted } from './percentFormat.ts';
import { escaped } from './html.ts';
import { View } from './objects.ts';
import {
  Bytes,
  Dict,
  each,
  isList,
  iteratorOf,
  Markup,
  numberOf,
  Range,
  TemplateError,
  textOf,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from './values.ts';
import { spend, spendOn, TemplateLimitError } from './work.ts';

function sameItems(left: readonly Value[], right: readonly Value[]): boolean {
  return left.length === right.length && left.every((item, i) => equal(item, right[i] ?? null));
}

/** −1, 0 or 1 by the values, of which one may be a bigint; NaN beside NaN. */
function order(a: bigint | number, b: bigint | number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return NaN;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Python's `==`. */
export function equal(left: Value, right: Value): boolean {
  spend();
  if (left === right) return !Number.isNaN(left);
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a !== null && b !== null) return order(a, b) === 0;
  const [text, other] = [textOf(left), textOf(right)];
  if (text !== null && other !== null) return text === other;
  if (left instanceof Undefined) return right instanceof Undefined;
  if (isList(left)) return isList(right) && sameItems(left, right);
  if (left instanceof Tuple) return right instanceof Tuple && sameItems(left.items, right.items);
  if (left instanceof Bytes) return right instanceof Bytes && str(left) === str(right);
  if (left instanceof Range) return right instanceof Range && sameItems([...each(left)], [...each(right)]);
  if (left instanceof Dict && right instanceof Dict)
    return (
      left.size === right.size &&
      left.entries().every(([key, value]) => {
        const found = right.get(key);
        return found !== undefined && equal(value, found);
      })
    );
  if (left instanceof View && right instanceof View && left.kind !== 'values' && right.kind !== 'values')
    return left.dict.size === right.dict.size && left.items.every((item) => contains(right, item));
  return false;
}

/** −1, 0 or 1; NaN where none holds. @throws TemplateError if the values have no order. */
export function compare(left: Value, right: Value, sign = '<'): number {
  spend();
  if (left instanceof Undefined) return left.raise();
  if (right instanceof Undefined) return right.raise();
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a !== null && b !== null) return order(a, b);
  const [text, other] = [textOf(left), textOf(right)];
  if (text !== null && other !== null) {
    spendOn(Math.min(text.length, other.length));
    return compareStrings(text, other);
  }
  const items = isList(left) && isList(right) ? [left, right] : null;
  const lists = left instanceof Tuple && right instanceof Tuple ? [left.items, right.items] : items;
  if (lists === null)
    throw new TemplateError(
      `'${sign}' not supported between instances of '${typeName(left)}' and '${typeName(right)}'`,
    );
  const [first = [], second = []] = lists;
  const at = first.findIndex((item, i) => i >= second.length || !equal(item, second[i] ?? null));
  if (at < 0 || at >= second.length) return Math.sign(first.length - second.length);
  return compare(first[at] ?? null, second[at] ?? null, sign);
}

/** Python's `item in container`. */
export function contains(container: Value, item: Value): boolean {
  const text = textOf(container);
  if (text !== null) {
    const part = textOf(item);
    if (part === null)
      throw new TemplateError(`'in <string>' requires string as left operand, not ${typeName(item)}`);
    spendOn(text.length);
    return text.includes(part);
  }
  if (container instanceof Dict) return container.has(item);
  if (container instanceof View && container.kind === 'keys') return container.dict.has(item);
  if (iteratorOf(container) === undefined)
    throw new TemplateError(`argument of type '${typeName(container)}' is not iterable`);
  for (const found of each(container)) if (equal(found, item)) return true;
  return false;
}

export type Sign = '+' | '-' | '*' | '/' | '//' | '%' | '**';

/** The most bits of an int. */
const MOST_BITS = 100_000;

const asFloat = (value: bigint | number): number => Number(value);

function floorDivided(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
}

/** Python's `divmod` of floats. */
function floatDivision(a: number, b: number): { readonly quotient: number; readonly rest: number } {
  let rest = a % b;
  let quotient = (a - rest) / b;
  if (rest !== 0) {
    if (b < 0 !== rest < 0) {
      rest += b;
      quotient -= 1;
    }
  } else rest = b < 0 ? -0 : 0;
  if (quotient === 0) return { quotient: a / b < 0 || Object.is(a / b, -0) ? -0 : 0, rest };
  const floor = Math.floor(quotient);
  return { quotient: quotient - floor > 0.5 ? floor + 1 : floor, rest };
}

const bitsOf = (value: bigint): number => value.toString(16).length * 4;

/** The most of a whole exponent whose power is computed exactly. */
const MOST_EXPONENT = 2000;

function floatPower(a: number, b: number): number {
  if (a === 0 && b < 0) throw new TemplateError('0.0 cannot be raised to a negative power');
  if (a < 0 && Number.isFinite(b) && !Number.isInteger(b))
    throw new TemplateError('a power that is a complex number is not known here');
  if (a === 1 || b === 0 || (a === -1 && Math.abs(b) === Infinity)) return 1;
  if (a === 0 || !Number.isFinite(a) || !Number.isFinite(b)) return a ** b;
  if (b === 0.5) return Math.sqrt(a);
  if (!Number.isInteger(b) || Math.abs(b) > MOST_EXPONENT)
    throw new TemplateError(`a power with the exponent ${b} is not computed here as Python computes it`);
  const size = power(Math.abs(a), b);
  if (!Number.isFinite(size)) throw new TemplateError("(34, 'Numerical result out of range')");
  return a < 0 && b % 2 !== 0 ? -size : size;
}

function intPower(base: bigint, exponent: bigint): bigint | number {
  if (exponent < 0n) {
    if (base === 0n) throw new TemplateError('0.0 cannot be raised to a negative power');
    return floatPower(asFloat(base), asFloat(exponent));
  }
  const small = base >= -1n && base <= 1n;
  if (!small && BigInt(bitsOf(base)) * exponent > BigInt(MOST_BITS) * 4n)
    throw new TemplateLimitError('makes a number of too many digits');
  spendOn(small ? 1 : bitsOf(base) * asFloat(exponent));
  return small && exponent > 2n ? base ** (2n + (exponent % 2n)) : base ** exponent;
}

function intResult(a: bigint, b: bigint, sign: Sign): bigint | number {
  switch (sign) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      spendOn(bitsOf(a) + bitsOf(b));
      if (bitsOf(a) + bitsOf(b) > MOST_BITS * 4)
        throw new TemplateLimitError('makes a number of too many digits');
      return a * b;
    case '**':
      return intPower(a, b);
    case '/':
    case '//':
    case '%':
      return intQuotient(a, b, sign);
  }
}

function intQuotient(a: bigint, b: bigint, sign: '/' | '//' | '%'): bigint | number {
  if (b === 0n)
    throw new TemplateError(sign === '/' ? 'division by zero' : 'integer division or modulo by zero');
  if (sign === '//') return floorDivided(a, b);
  if (sign === '%') return a - floorDivided(a, b) * b;
  if (!Number.isSafeInteger(asFloat(a)) || !Number.isSafeInteger(asFloat(b)))
    throw new TemplateError('numbers beyond 2^53 are not divided here as Python divides them');
  return asFloat(a) / asFloat(b);
}

function floatResult(a: number, b: number, sign: Sign): number {
  switch (sign) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '**':
      return floatPower(a, b);
    case '/':
    case '//':
    case '%':
      return floatQuotient(a, b, sign);
  }
}

function floatQuotient(a: number, b: number, sign: '/' | '//' | '%'): number {
  if (b === 0)
    throw new TemplateError(
      sign === '/'
        ? 'float division by zero'
        : sign === '%'
          ? 'float modulo'
          : 'float floor division by zero',
    );
  if (sign === '/') return a / b;
  const { quotient, rest } = floatDivision(a, b);
  return sign === '//' ? quotient : rest;
}

/** More than any text or list that is not empty may be repeated. */
const MOST_TIMES = 2 ** 29;

/** A text or list so many times. */
function repeated(value: Value, count: bigint): Value | undefined {
  const times = count < 0n ? 0 : Math.min(Number(count), MOST_TIMES);
  const text = textOf(value);
  if (text !== null) {
    spendOn(text.length * times);
    const all = text.repeat(times);
    return value instanceof Markup ? new Markup(all) : all;
  }
  const items = value instanceof Tuple ? value.items : isList(value) ? value : null;
  if (items === null) return undefined;
  spendOn(items.length * times);
  const all = items.length === 0 ? [] : Array.from({ length: times }, () => items).flat();
  return value instanceof Tuple ? new Tuple(all) : all;
}

function added(left: Value, right: Value): Value | undefined {
  const [text, other] = [textOf(left), textOf(right)];
  if (text !== null && other !== null) {
    spendOn(text.length + other.length);
    if (left instanceof Markup) return new Markup(text + escaped(right));
    return right instanceof Markup ? new Markup(escaped(left) + other) : text + other;
  }
  if (isList(left) && isList(right)) {
    spendOn(left.length + right.length);
    return [...left, ...right];
  }
  if (left instanceof Tuple && right instanceof Tuple) {
    spendOn(left.items.length + right.items.length);
    return new Tuple([...left.items, ...right.items]);
  }
  if (text !== null) throw new TemplateError(`can only concatenate str (not "${typeName(right)}") to str`);
  if (isList(left) || left instanceof Tuple)
    throw new TemplateError(
      `can only concatenate ${typeName(left)} (not "${typeName(right)}") to ${typeName(left)}`,
    );
  return undefined;
}

/** The result for values that are not both numbers. It is undefined where Python has no such operation. */
function otherResult(left: Value, right: Value, sign: Sign): Value | undefined {
  if (sign === '%' && typeof left === 'string') return percentFormatted(left, right);
  if (left instanceof Undefined) return left.raise();
  if (right instanceof Undefined) return right.raise();
  if (left instanceof Markup && sign === '%')
    throw new TemplateError('% of a text that is marked as safe is not known here');
  if (sign === '+') return added(left, right);
  if (sign !== '*') return undefined;
  const [a, b] = [numberOf(left), numberOf(right)];
  if (typeof b === 'bigint') return repeated(left, b);
  return typeof a === 'bigint' ? repeated(right, a) : undefined;
}

/** `left sign right`. @throws TemplateError as Python would raise. */
export function calculated(left: Value, right: Value, sign: Sign): Value {
  const [a, b] = [numberOf(left), numberOf(right)];
  if (typeof a === 'bigint' && typeof b === 'bigint') return intResult(a, b, sign);
  if (a !== null && b !== null) return floatResult(asFloat(a), asFloat(b), sign);
  const result = otherResult(left, right, sign);
  if (result !== undefined) return result;
  const shown = sign === '**' ? '** or pow()' : sign;
  throw new TemplateError(
    `unsupported operand type(s) for ${shown}: '${typeName(left)}' and '${typeName(right)}'`,
  );
}

/** `-value` or `+value`. */
export function signed(value: Value, sign: '-' | '+'): Value {
  if (value instanceof Undefined) return value.raise();
  const number = numberOf(value);
  if (number === null) throw new TemplateError(`bad operand type for unary ${sign}: '${typeName(value)}'`);
  return sign === '-' ? -number : number;
}

/** The whole number of an int or a bool. @throws TemplateError naming what needs it. */
export function wholeNumber(value: Value, what = repr(value)): bigint {
  if (value instanceof Undefined) return value.raise();
  const number = numberOf(value);
  if (typeof number === 'bigint') return number;
  throw new TemplateError(`'${typeName(value)}' object cannot be interpreted as an integer (${what})`);
}
