/** Python's `str` and `repr` of a value. */
import { MOST_DIGITS } from '@rl-playground/base/pythonNumbers';
import { Namespace, View } from './objects.ts';
import {
  Bytes,
  bytesOf,
  Dict,
  Markup,
  PyObject,
  Range,
  TemplateError,
  Tuple,
  Undefined,
  type Value,
} from './values.ts';
import { spend, spendOn, spendOnParts } from './work.ts';

/** Python's `repr` of a float: the shortest digits that give it back, with an exponent below 1e-4 and from 1e16 on. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const [mantissa = '', power = '0'] = Math.abs(value).toExponential().split('e');
  const digits = mantissa.replace('.', '');
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 16) {
    const size = `${Math.abs(exponent)}`.padStart(2, '0');
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
    return `${sign}${digits.slice(0, 1)}${fraction}e${exponent < 0 ? '-' : '+'}${size}`;
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return `${sign}${whole}.${digits.slice(exponent + 1) || '0'}`;
}

export function intText(value: bigint): string {
  const text = `${value}`;
  spendOn(text.length);
  if (text.replace('-', '').length <= MOST_DIGITS) return text;
  throw new TemplateError(
    `Exceeds the limit (${MOST_DIGITS} digits) for integer string conversion; use sys.set_int_max_str_digits() to increase the limit`,
  );
}

const NOT_PRINTABLE = /[\\\p{C}\p{Z}]/gu;
const NAMED: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' };

/** A character by its number, as Python escapes it. */
export function escapedByNumber(point: string): string {
  const code = point.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

const escapedPoint = (point: string): string =>
  point === ' ' ? point : (NAMED[point] ?? escapedByNumber(point));

/** Python's `repr` of a str. */
function textRepr(text: string): string {
  spendOnParts(text.length);
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inside = text.replace(NOT_PRINTABLE, escapedPoint);
  return quote + (quote === "'" ? inside.replaceAll("'", "\\'") : inside) + quote;
}

function bytesText(value: Bytes): string {
  const text = bytesOf(value)
    .map((byte) => String.fromCharCode(byte))
    .join('');
  return `b${textRepr(text).replace(/[\x80-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`)}`;
}

/** Adds the `repr` of a value in pieces. `inside` has the namespaces around it: one that holds itself has no end. */
function write(value: Value, pieces: string[], inside: ReadonlySet<Value>): void {
  const add = (piece: string): void => {
    spend();
    spendOn(piece.length);
    pieces.push(piece);
  };
  const all = (values: readonly Value[], open: string, close: string): void => {
    add(open);
    values.forEach((each, i) => {
      if (i > 0) add(', ');
      write(each, pieces, inside);
    });
    add(close);
  };
  if (typeof value === 'string') add(textRepr(value));
  else if (value instanceof Markup) add(`Markup(${textRepr(value.text)})`);
  else if (value instanceof Undefined) add('Undefined');
  else if (value instanceof Tuple) all(value.items, '(', value.items.length === 1 ? ',)' : ')');
  else if (value instanceof Dict) {
    add('{');
    value.entries().forEach(([key, of], i) => {
      if (i > 0) add(', ');
      write(key, pieces, inside);
      add(': ');
      write(of, pieces, inside);
    });
    add('}');
  } else if (value instanceof View) {
    add(`${value.type}(`);
    all(value.items, '[', '])');
  } else if (value instanceof Namespace) {
    if (inside.has(value)) throw new TemplateError('a namespace that holds itself has no text');
    add('<Namespace ');
    write(value.asDict(), pieces, new Set([...inside, value]));
    add('>');
  } else if (Array.isArray(value)) all(value, '[', ']');
  else add(str(value));
}

/** Python's `repr`. */
export function repr(value: Value): string {
  const pieces: string[] = [];
  write(value, pieces, new Set());
  const text = pieces.join('');
  spendOn(text.length);
  return text;
}

/** Python's `str`. */
export function str(value: Value): string {
  if (typeof value === 'string') return value;
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'bigint') return intText(value);
  if (typeof value === 'number') return floatText(value);
  if (value instanceof Markup) return value.text;
  if (value instanceof Undefined) return '';
  if (value instanceof Bytes) return bytesText(value);
  if (value instanceof Range) {
    const { start, stop, step } = value;
    return step === 1n ? `range(${start}, ${stop})` : `range(${start}, ${stop}, ${step})`;
  }
  if (value instanceof PyObject && !(value instanceof View || value instanceof Namespace))
    return value.text();
  return repr(value);
}
