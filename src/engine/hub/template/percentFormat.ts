/** Python's `text % values`. */
import { formattedFloat } from './numberFormat.ts';
import { escapedByNumber, floatText, repr, str } from './printing.ts';

import {
  Dict,
  isList,
  lengthOfText,
  pointsOf,
  TemplateError,
  Tuple,
  typeName,
  Undefined,
  textOf,
  type Value,
  numberOf,
} from './values.ts';
import { spend, spendOn } from './work.ts';

interface Conversion {
  readonly flags: string;
  readonly width: number;
  readonly precision: number | null;
  readonly kind: string;
}

const CONVERSION = /%(?:\(([^()]*)\))?([#0\- +]*)(\*|\d*)(?:\.(\*|\d*))?[hlL]?([\s\S]?)/gu;

function truncated(value: Value, kind: string): bigint {
  if (value instanceof Undefined) return value.raise();
  const number = numberOf(value);
  if (number === null)
    throw new TemplateError(`%${kind} format: a real number is required, not ${typeName(value)}`);
  if (typeof number === 'bigint') return number;
  if ('xXo'.includes(kind))
    throw new TemplateError(`%${kind} format: an integer is required, not ${typeName(value)}`);
  if (!Number.isFinite(number))
    throw new TemplateError(`cannot convert float ${floatText(number)} to integer`);
  return BigInt(Math.trunc(number));
}

const RADIX: Readonly<Record<string, number>> = { x: 16, X: 16, o: 8 };
const PREFIX: Readonly<Record<string, string>> = { x: '0x', X: '0X', o: '0o' };

/** The parts of a formatted number: true for a minus, the prefix of its digits, and its digits. */
function numberParts(value: Value, { kind, precision, flags }: Conversion): [boolean, string, string] {
  if ('eEfFgG'.includes(kind)) {
    if (value instanceof Undefined) return value.raise();
    const number = numberOf(value);
    if (number === null) throw new TemplateError(`must be real number, not ${typeName(value)}`);
    const float = Number(number);
    const text = formattedFloat(Math.abs(float), kind, precision ?? 6, flags.includes('#'));
    return [float < 0 || Object.is(float, -0), '', text];
  }
  const whole = truncated(value, kind);
  const digits = (whole < 0n ? -whole : whole).toString(RADIX[kind] ?? 10);
  const shown = (kind === 'X' ? digits.toUpperCase() : digits).padStart(precision ?? 0, '0');
  return [whole < 0n, flags.includes('#') ? (PREFIX[kind] ?? '') : '', shown];
}

function character(value: Value): string {
  const text = textOf(value);
  if (text !== null && lengthOfText(text) === 1) return text;
  const number = numberOf(value);
  if (typeof number === 'bigint' && number >= 0n && number < 0x110000n)
    return String.fromCodePoint(Number(number));
  throw new TemplateError('%c requires int or char');
}

const ascii = (text: string): string => text.replace(/\P{ASCII}/gu, escapedByNumber);

function converted(value: Value, conversion: Conversion): string {
  const { flags, width, precision, kind } = conversion;
  const pad = (text: string): string => {
    const missing = width - lengthOfText(text);
    if (missing <= 0) return text;
    spendOn(width);
    return flags.includes('-') ? text + ' '.repeat(missing) : ' '.repeat(missing) + text;
  };
  if (kind === 'c') return pad(character(value));
  if ('sra'.includes(kind)) {
    const text = kind === 's' ? str(value) : kind === 'r' ? repr(value) : ascii(repr(value));
    return pad(precision === null ? text : pointsOf(text).slice(0, precision).join(''));
  }
  const [negative, prefix, digits] = numberParts(value, conversion);
  const sign = negative ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
  if (!flags.includes('0') || flags.includes('-')) return pad(sign + prefix + digits);
  spendOn(width);
  return sign + prefix + digits.padStart(width - sign.length - prefix.length, '0');
}

/** @throws TemplateError as Python's `%` raises. */
export function percentFormatted(text: string, right: Value): string {
  spendOn(text.length);
  const values = right instanceof Tuple ? right.items : [right];
  let used = 0;
  let named = false;
  const next = (): Value => {
    const value = values[used++];
    if (value === undefined) throw new TemplateError('not enough arguments for format string');
    return value;
  };
  const size = (given: string | undefined): number | null => {
    if (given === undefined) return null;
    if (given !== '*') return Number(given);
    const value = next();
    if (typeof value === 'bigint') return Number(value);
    throw new TemplateError('* wants int');
  };
  const result = text.replace(CONVERSION, (...match: (string | undefined)[]) => {
    spend();
    const [whole, name, flags = '', widthText = '', precisionText, kind = ''] = match;
    if (whole === '%%') return '%';
    if (kind === '') throw new TemplateError('incomplete format');
    const width = size(widthText) ?? 0;
    const precision = size(precisionText);
    if (!'diuoxXeEfFgGcrsa'.includes(kind))
      throw new TemplateError(
        `unsupported format character '${kind}' (0x${kind.codePointAt(0)?.toString(16) ?? ''})`,
      );
    const conversion = {
      flags: width < 0 ? `${flags}-` : flags,
      width: Math.abs(width),
      precision: precision === null ? null : Math.max(precision, 0),
      kind,
    };
    if (name === undefined) return converted(next(), conversion);
    if (!(right instanceof Dict)) throw new TemplateError('format requires a mapping');
    named = true;
    const value = right.get(name);
    if (value === undefined) throw new TemplateError(repr(name));
    return converted(value, conversion);
  });
  const mapping = right instanceof Dict || isList(right) || right instanceof Undefined;
  if (!named && used < values.length && !mapping)
    throw new TemplateError('not all arguments converted during string formatting');
  spendOn(result.length);
  return result;
}
