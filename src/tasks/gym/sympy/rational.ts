/** Exact fractions of any size, up to a limit on their length. */
import { gcd, magnitude } from '../../define/wholeNumbers.ts';

/** A fraction in lowest terms with `q` > 0. */
export interface Rational {
  readonly p: bigint;
  readonly q: bigint;
}

/** A number too long to go on with; nothing that a puzzle asks for comes near. */
export class TooLargeError extends Error {}

const MOST_BITS = 4096;
const BOUND = 1n << BigInt(MOST_BITS);

/** `p / q` in lowest terms. `q` must not be 0. Throws TooLargeError past 4,096 bits. */
export function rational(p: bigint, q = 1n): Rational {
  if (magnitude(p) > BOUND || magnitude(q) > BOUND)
    throw new TooLargeError(`A number has more than ${MOST_BITS} bits; choose smaller ones.`);
  const divisor = q < 0n ? -gcd(p, q) : gcd(p, q);
  return { p: p / divisor, q: q / divisor };
}

export function add(a: Rational, b: Rational): Rational {
  return rational(a.p * b.q + b.p * a.q, a.q * b.q);
}

export function multiply(a: Rational, b: Rational): Rational {
  return rational(a.p * b.p, a.q * b.q);
}

/** The largest whole number that is not above `value`. */
export function floorOf({ p, q }: Rational): bigint {
  const quotient = p / q;
  return p % q < 0n ? quotient - 1n : quotient;
}

/** The nearest 64-bit float (±Infinity beyond its range) up to one rounding of each of numerator and denominator. */
export function toNumber({ p, q }: Rational): number {
  const [top, bottom] = [Number(p), Number(q)];
  if (Number.isFinite(top) && Number.isFinite(bottom)) return top / bottom;
  const scaled = (magnitude(p) << 64n) / q;
  return (p < 0n ? -1 : 1) * Number(scaled) * 2 ** -64;
}

/** `base` to a whole power. `base` must not be 0 where the power is negative. Throws TooLargeError instead of working for long. */
export function power(base: Rational, exponent: bigint): Rational {
  if (exponent === 0n) return rational(1n);
  const longest = BigInt(Math.max(base.p.toString(2).length, base.q.toString(2).length));
  if (magnitude(base.p) > 1n || base.q > 1n)
    if (magnitude(exponent) * (longest - 1n) > BigInt(MOST_BITS))
      throw new TooLargeError(`A power has more than ${MOST_BITS} bits; choose smaller numbers.`);
  if (magnitude(base.p) <= 1n && base.q === 1n)
    return exponent % 2n === 0n ? rational(base.p * base.p) : rational(base.p);
  const positive = magnitude(exponent);
  const [p, q] = [base.p ** positive, base.q ** positive];
  return exponent < 0n ? rational(q, p) : rational(p, q);
}

/** The whole `degree`-th root of a whole number of 0 or more, where it has one; else null. */
export function wholeRoot(value: bigint, degree: bigint): bigint | null {
  if (value < 2n) return value;
  const bits = BigInt(value.toString(2).length);
  if (degree > bits) return null;
  let low = 1n;
  let high = 1n << (bits / degree + 1n);
  while (low < high) {
    const middle = (low + high) >> 1n;
    if (middle ** degree < value) low = middle + 1n;
    else high = middle;
  }
  return low ** degree === value ? low : null;
}
