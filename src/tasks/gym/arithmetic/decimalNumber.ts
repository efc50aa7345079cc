/** Decimal arithmetic after the General Decimal Arithmetic specification, as Python's `decimal` does it: zeros at the end are kept. */

/** coefficient · 10^exponent */
export interface DecimalNumber {
  readonly coefficient: bigint;
  readonly exponent: number;
}

const power = (exponent: number): bigint => 10n ** BigInt(exponent);
const amount = (value: bigint): bigint => (value < 0n ? -value : value);

/** `12.340` or `7`; throws for other text. */
export function readDecimalNumber(text: string): DecimalNumber {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(text);
  if (!match)
    throw new Error(`"${text.slice(0, 40)}" is no decimal number; write digits and a point, such as 1.250.`);
  const [, whole = '', fraction = ''] = match;
  return { coefficient: BigInt(whole + fraction), exponent: -fraction.length };
}

/** At most `digits` significant digits, halves away from zero. */
export function roundDecimal(value: DecimalNumber, digits: number): DecimalNumber {
  const excess = `${amount(value.coefficient)}`.length - digits;
  if (excess <= 0) return value;
  const unit = power(excess);
  const rounded = (amount(value.coefficient) + unit / 2n) / unit;
  const coefficient = value.coefficient < 0n ? -rounded : rounded;
  return roundDecimal({ coefficient, exponent: value.exponent + excess }, digits);
}

export function addDecimals(left: DecimalNumber, right: DecimalNumber): DecimalNumber {
  const exponent = Math.min(left.exponent, right.exponent);
  const at = (value: DecimalNumber) => value.coefficient * power(value.exponent - exponent);
  return { coefficient: at(left) + at(right), exponent };
}

export const negateDecimal = ({ coefficient, exponent }: DecimalNumber): DecimalNumber => ({
  coefficient: -coefficient,
  exponent,
});

export const multiplyDecimals = (left: DecimalNumber, right: DecimalNumber): DecimalNumber => ({
  coefficient: left.coefficient * right.coefficient,
  exponent: left.exponent + right.exponent,
});

/**
 * A quotient to `digits` significant digits; an exact one has as few zeros at its end as its parts ask for. Throws a RangeError for a
 * divisor of 0.
 */
export function divideDecimals(left: DecimalNumber, right: DecimalNumber, digits: number): DecimalNumber {
  if (right.coefficient === 0n) throw new RangeError('A number is divided by 0; choose another divisor.');
  const ideal = left.exponent - right.exponent;
  const shift = Math.max(
    0,
    `${amount(right.coefficient)}`.length - `${amount(left.coefficient)}`.length + digits + 2,
  );
  const scaled = left.coefficient * power(shift);
  let coefficient = scaled / right.coefficient;
  let exponent = ideal - shift;
  if (coefficient * right.coefficient === scaled) {
    for (; exponent < ideal && coefficient % 10n === 0n; exponent++) coefficient /= 10n;
  }
  return roundDecimal({ coefficient, exponent }, digits);
}

/** Python's `str`: plain down to a millionth, `1.2E-7` below, and above where the last digit is no unit. */
export function writeDecimal({ coefficient, exponent }: DecimalNumber): string {
  const digits = `${amount(coefficient)}`;
  const sign = coefficient < 0n ? '-' : '';
  const leading = exponent + digits.length;
  if (exponent <= 0 && leading > -6) {
    if (exponent === 0) return sign + digits;
    const padded = digits.padStart(1 - exponent, '0');
    return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
  }
  const mantissa = digits.length > 1 ? `${digits.charAt(0)}.${digits.slice(1)}` : digits;
  return `${sign}${mantissa}E${leading > 0 ? '+' : ''}${leading - 1}`;
}
