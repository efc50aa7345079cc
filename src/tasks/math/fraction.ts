/** Fractions of whole numbers of any length, in lowest terms. */
import { gcd, magnitude } from '../define/wholeNumbers.ts';

export interface Fraction {
  readonly above: bigint;
  /** More than 0. */
  readonly below: bigint;
}

/** The largest power of ten that is worked out, up or down. */
const MOST_POWER = 4300;

/** `above / below` in lowest terms, or null for a division by zero. */
export function fractionOf(above: bigint, below = 1n): Fraction | null {
  if (below === 0n) return null;
  const divisor = gcd(above, below) * (below < 0n ? -1n : 1n);
  return { above: above / divisor, below: below / divisor };
}

export const sum = (a: Fraction, b: Fraction): Fraction | null =>
  fractionOf(a.above * b.below + b.above * a.below, a.below * b.below);

export const product = (a: Fraction, b: Fraction): Fraction | null =>
  fractionOf(a.above * b.above, a.below * b.below);

export const quotient = (a: Fraction, b: Fraction): Fraction | null =>
  fractionOf(a.above * b.below, a.below * b.above);

export const negative = ({ above, below }: Fraction): Fraction => ({ above: -above, below });

export const sameFraction = (a: Fraction, b: Fraction): boolean => a.above === b.above && a.below === b.below;

export const isInteger = ({ below }: Fraction): boolean => below === 1n;

/** `value · 10^exponent`, or null if the power is too large. */
export function shifted(value: Fraction, exponent: number): Fraction | null {
  if (Math.abs(exponent) > MOST_POWER) return null;
  const power = 10n ** BigInt(Math.abs(exponent));
  return exponent < 0
    ? fractionOf(value.above, value.below * power)
    : fractionOf(value.above * power, value.below);
}

/** A whole power, or null if it is too large or divides by zero. */
export function raised({ above, below }: Fraction, exponent: number): Fraction | null {
  const digits = Math.max(magnitude(above).toString().length, below.toString().length);
  const size = Math.abs(exponent);
  if (digits * size > MOST_POWER) return null;
  const [top, bottom] = [above ** BigInt(size), below ** BigInt(size)];
  return exponent < 0 ? fractionOf(bottom, top) : fractionOf(top, bottom);
}

/** The fraction that a finite number of float64 shows in decimal: 0.1 is 1/10. */
export function fractionOfDouble(value: number): Fraction {
  const [mantissa = '0', exponent = '0'] = `${value}`.split('e');
  const [whole = '0', decimals = ''] = mantissa.split('.');
  return shifted({ above: BigInt(whole + decimals), below: 1n }, Number(exponent) - decimals.length) ?? ZERO;
}

export const ZERO: Fraction = { above: 0n, below: 1n };

/** Says whether two fractions lie at most `distance` apart. */
export function areNear(a: Fraction, b: Fraction, distance: Fraction): boolean {
  const apart = magnitude(a.above * b.below - b.above * a.below);
  return apart * distance.below <= distance.above * a.below * b.below;
}
