/** Numbers in a given number of digits, exactly as Python rounds them: the double's true value, ties to even. */
import { TemplateError } from './values.ts';
import { spendOn } from './work.ts';

/** The most digits that a format may ask for. */
const MOST_DIGITS = 1000;

/** A finite double as numerator / 2 ** shift. */
function fractionOf(value: number): { readonly top: bigint; readonly shift: bigint } {
  let shift = 0n;
  let scaled = value;
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    shift++;
  }
  return { top: BigInt(scaled), shift };
}

/** `top / bottom` to the nearest whole number, ties to even; both are at least 0. */
export function nearest(top: bigint, bottom: bigint): bigint {
  const quotient = top / bottom;
  const twice = (top - quotient * bottom) * 2n;
  return twice > bottom || (twice === bottom && quotient % 2n === 1n) ? quotient + 1n : quotient;
}

/** A finite double of at least 0, times 10 ** power, to the nearest whole number. */
export function scaled(value: number, power: number): bigint {
  const { top, shift } = fractionOf(value);
  const ten = 10n ** BigInt(Math.abs(power));
  return power < 0 ? nearest(top, ten << shift) : nearest(top * ten, 1n << shift);
}

/** `top / bottom` to the nearest double, ties to even; both are above 0. */
function nearestDouble(top: bigint, bottom: bigint): number {
  // The quotient has some bits more than a double, and its last tells whether anything is left.
  const shift = BigInt(bottom.toString(2).length - top.toString(2).length + 66);
  const [above, below] = shift < 0n ? [top, bottom << -shift] : [top << shift, bottom];
  const quotient = above / below;
  const sticky = quotient * below === above ? quotient : quotient | 1n;
  const half = Number(shift) / 2;
  return Number(sticky) * 2 ** -Math.floor(half) * 2 ** -Math.ceil(half);
}

/** A finite double above 0 to the power of a whole number, exactly rounded: `**` of JavaScript is off by one unit at times. */
export function power(base: number, exponent: number): number {
  if (exponent === 0) return 1;
  const { top, shift } = fractionOf(base);
  const times = BigInt(Math.abs(exponent));
  spendOn(Math.abs(exponent) * (Number(shift) + top.toString(16).length * 4));
  const [upper, lower] = [top ** times, 1n << (shift * times)];
  return exponent < 0 ? nearestDouble(lower, upper) : nearestDouble(upper, lower);
}

function checkDigits(digits: number): void {
  spendOn(digits);
  if (digits > MOST_DIGITS) throw new TemplateError(`a number in ${digits} digits is not written here`);
}

/** `1234` with 2 digits is `12.34`. */
function withPoint(whole: bigint, digits: number): string {
  const text = `${whole}`.padStart(digits + 1, '0');
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** The format `f` of a value of at least 0. */
function fixed(value: number, digits: number): string {
  return withPoint(scaled(value, digits), digits);
}

function scientificParts(
  value: number,
  digits: number,
): { readonly whole: bigint; readonly exponent: number } {
  if (value === 0) return { whole: 0n, exponent: 0 };
  const exponent = Number(value.toExponential().split('e')[1]);
  const whole = scaled(value, digits - exponent);
  return whole < 10n ** BigInt(digits + 1)
    ? { whole, exponent }
    : { whole: scaled(value, digits - exponent - 1), exponent: exponent + 1 };
}

function exponentText(exponent: number): string {
  return `e${exponent < 0 ? '-' : '+'}${`${Math.abs(exponent)}`.padStart(2, '0')}`;
}

/** The format `g` of a value of at least 0; `full` keeps the zeros at the end. */
function general(value: number, digits: number, full: boolean): string {
  const precision = Math.max(digits, 1);
  const { whole, exponent } = scientificParts(value, precision - 1);
  const shortened = (text: string): string => {
    const point = text.includes('.');
    if (full) return point ? text : `${text}.`;
    return point ? text.replace(/\.?0+$/, '') : text;
  };
  if (exponent < -4 || exponent >= precision)
    return shortened(withPoint(whole, precision - 1)) + exponentText(exponent);
  return shortened(fixed(value, precision - 1 - exponent));
}

/** A double of at least 0, by one of the formats e, f, g and %. `full` is the format's `#`. */
export function formattedFloat(value: number, kind: string, digits: number, full = false): string {
  checkDigits(digits);
  const lower = kind.toLowerCase();
  const text = (() => {
    if (Number.isNaN(value)) return 'nan';
    if (!Number.isFinite(value)) return 'inf';
    if (lower === 'f') return fixed(value, digits) + (full && digits === 0 ? '.' : '');
    if (lower === 'g') return general(value, digits, full);
    const { whole, exponent } = scientificParts(value, digits);
    return withPoint(whole, digits) + (full && digits === 0 ? '.' : '') + exponentText(exponent);
  })();
  return kind === lower ? text : text.toUpperCase();
}
