/** The filters of Jinja2 for numbers, and the numbers in texts. */
import {
  bareNumeral,
  MOST_DIGITS,
  pythonFloat,
  pythonInt,
  pythonIntLiteral,
} from '@rl-playground/base/pythonNumbers';
import { bound, positional } from './given.ts';
import type { Filter } from './listFilters.ts';
import { formattedFloat, nearest, scaled } from './numberFormat.ts';
import { wholeNumber } from './operators.ts';
import { floatText } from './printing.ts';
import {
  isTrue,
  TemplateError,
  textOf,
  typeName,
  Undefined,
  type Given,
  type Value,
  numberOf,
} from './values.ts';
import { spendOn } from './work.ts';

const PREFIXES: Readonly<Record<string, number>> = { '0x': 16, '0o': 8, '0b': 2 };
const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz';

/** Python's `int(text, base)`; null where it raises. */
function intOf(text: string, base: number): bigint | null {
  spendOn(text.length);
  if (base === 10) return pythonInt(text);
  if (base === 0) return pythonIntLiteral(text);
  const [, sign, body = ''] = /^([+-]?)(.*)$/s.exec(bareNumeral(text).toLowerCase()) ?? [];
  const digits = PREFIXES[body.slice(0, 2)] === base ? body.slice(2).replace(/^_/, '') : body;
  if (base < 2 || base > 36 || !/^[0-9a-z]+(?:_[0-9a-z]+)*$/.test(digits)) return null;
  const plain = digits.replaceAll('_', '');
  if ([...plain].some((digit) => DIGITS.indexOf(digit) >= base)) return null;
  if (plain.length > MOST_DIGITS) throw new TemplateError('a number of so many digits is not read here');
  let value = 0n;
  for (const digit of plain) value = value * BigInt(base) + BigInt(DIGITS.indexOf(digit));
  return sign === '-' ? -value : value;
}

/** Python's `float(value)`; null where it raises a ValueError or TypeError. */
function floatOf(value: Value): number | null {
  if (value instanceof Undefined) return value.raise();
  const number = numberOf(value);
  if (number !== null) return Number(number);
  const text = textOf(value);
  if (text === null) return null;
  spendOn(text.length);
  return pythonFloat(text);
}

function int(value: Value, given: Given): Value {
  const [usual = 0n, base = 10n] = bound('int', given, ['default', 'base']);
  if (value instanceof Undefined) return value.raise();
  const text = textOf(value);
  const number = numberOf(value);
  const whole =
    text === null ? (typeof number === 'bigint' ? number : null) : intOf(text, Number(wholeNumber(base)));
  if (whole !== null) return whole;
  const float = floatOf(value);
  if (float === null || Number.isNaN(float)) return usual;
  if (Number.isFinite(float)) return BigInt(Math.trunc(float));
  if (text !== null) return usual;
  throw new TemplateError('cannot convert float infinity to integer');
}

function float(value: Value, given: Given): Value {
  const [usual = 0] = bound('float', given, ['default']);
  return floatOf(value) ?? usual;
}

/** Python's `round(value, digits)`. */
function rounded(value: bigint | number, digits: number): bigint | number {
  if (typeof value === 'bigint') {
    if (digits >= 0) return value;
    if (digits < -400) return 0n;
    const ten = 10n ** BigInt(-digits);
    const near = nearest(value < 0n ? -value : value, ten) * ten;
    return value < 0n ? -near : near;
  }
  if (!Number.isFinite(value) || digits > 330) return value;
  if (digits < -330) return value < 0 ? -0 : 0;
  const near = scaled(Math.abs(value), digits);
  const size = Number(`${near}e${-digits}`);
  return value < 0 || Object.is(value, -0) ? -size : size;
}

function round(value: Value, given: Given): Value {
  const [precision = 0n, method = 'common'] = bound('round', given, ['precision', 'method']);
  const digits = Number(wholeNumber(precision));
  if (!['common', 'ceil', 'floor'].includes(textOf(method) ?? ''))
    throw new TemplateError('method must be common, ceil or floor');
  if (value instanceof Undefined) return value.raise();
  const number = numberOf(value);
  if (number === null) throw new TemplateError(`type ${typeName(value)} doesn't define __round__ method`);
  if (method === 'common') return rounded(number, digits);
  const ten = 10 ** digits;
  const product = Number(number) * ten;
  if (!Number.isFinite(product))
    throw new TemplateError(`cannot convert float ${floatText(product)} to integer`);
  // Python's ceil and floor give an int, which has no negative zero.
  return ((method === 'ceil' ? Math.ceil(product) : Math.floor(product)) + 0) / ten;
}

function abs(value: Value, given: Given): Value {
  positional('abs', given, 0);
  if (value instanceof Undefined) return value.raise();
  const number = numberOf(value);
  if (number === null) throw new TemplateError(`bad operand type for abs(): '${typeName(value)}'`);
  return typeof number === 'bigint' ? (number < 0n ? -number : number) : Math.abs(number);
}

function fileSize(value: Value, given: Given): string {
  const [binary = false] = bound('filesizeformat', given, ['binary']);
  const bytes = floatOf(value);
  if (bytes === null || !Number.isFinite(bytes))
    throw new TemplateError(`a size of bytes must be a number, not ${typeName(value)}`);
  const base = isTrue(binary) ? 1024 : 1000;
  if (bytes === 1) return '1 Byte';
  if (bytes < base) return `${Math.trunc(bytes)} Bytes`;
  const units = ['k', 'M', 'G', 'T', 'P', 'E', 'Z', 'Y'];
  const at = units.findIndex((_, i) => bytes < base ** (i + 2));
  const i = at < 0 ? units.length - 1 : at;
  const unit = isTrue(binary) ? `${(units[i] ?? '').toUpperCase()}iB` : `${units[i] ?? ''}B`;
  return `${formattedFloat((base * bytes) / base ** (i + 2), 'f', 1)} ${unit}`;
}

export const NUMBER_FILTERS: ReadonlyMap<string, Filter> = new Map<string, Filter>([
  ['int', int],
  ['float', float],
  ['round', round],
  ['abs', abs],
  ['filesizeformat', fileSize],
]);
