/** Floating-point numbers to and from exact ones, as Python converts them. */
import { magnitude } from '../../define/wholeNumbers.ts';

const bits = (value: bigint): number => value.toString(16).length * 4;

/** Multiplies by two powers of two, because one alone may overflow. */
function scale(value: number, exponent: number): number {
  const half = Math.trunc(exponent / 2);
  return value * 2 ** half * 2 ** (exponent - half);
}

/** `numerator / denominator` rounded once; the denominator is above 0. Throws where no float is as large, as Python does. */
export function divideExactly(numerator: bigint, denominator: bigint): number {
  const size = magnitude(numerator);
  // A quotient of at least 64 bits, the last of which tells of a remainder.
  const shift = Math.max(0, bits(denominator) - bits(size) + 72);
  const scaled = size << BigInt(shift);
  const quotient = scaled / denominator;
  const sticky = quotient * denominator === scaled ? quotient : quotient | 1n;
  const value = shift > 4000 ? 0 : scale(Number(sticky), -shift);
  if (!Number.isFinite(value))
    throw new Error('OverflowError: the number is too large for a float; write one below 1.8e308.');
  return numerator < 0n ? -value : value;
}

/** A float in Python's form, such as `12.0`, for whole numbers below 10^16. */
export const floatText = (value: number): string => (Number.isInteger(value) ? `${value}.0` : `${value}`);

/** Says whether a text is a plain number of at most 100 characters, without underscores and digits of other scripts. */
export function isPlainNumber(text: string): boolean {
  return text.length <= 100 && /^[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[-+]?[0-9]{1,3})?$/i.test(text);
}

/** Python's `format(value, '.<digits>g')`: no zeros at the end, an exponent below 0.0001 and from 10^digits on. */
export function generalFormat(value: number, digits: number): string {
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [mantissa = '', power = '0'] = roundedHalfEven(value, digits).split('e');
  const exponent = Number(power);
  if (exponent < -4 || exponent >= digits) {
    const sign = exponent < 0 ? '-' : '+';
    return `${withoutZeros(mantissa)}e${sign}${`${Math.abs(exponent)}`.padStart(2, '0')}`;
  }
  return withoutZeros(Number(`${mantissa}e${power}`).toFixed(Math.max(0, digits - 1 - exponent)));
}

const withoutZeros = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);

/** These digits tell a tie from a number that is close to one. */
const EXACT_DIGITS = 100;

/** `toExponential`, but a value halfway between two goes to the even digit, as in C. */
function roundedHalfEven(value: number, digits: number): string {
  const exact = value.toExponential(EXACT_DIGITS);
  const [mantissa = '', power = '0'] = exact.split('e');
  const kept = value < 0 ? digits + 2 : digits + 1;
  const isHalf = /^50*$/.test(mantissa.slice(kept));
  const isEven = '02468'.includes(mantissa.charAt(kept - 1));
  return isHalf && isEven ? `${mantissa.slice(0, kept)}e${power}` : value.toExponential(digits - 1);
}
