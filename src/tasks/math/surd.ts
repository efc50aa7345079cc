/** Exact sums of rational multiples of square roots of integers and powers of π and of letters. */
import { gcd, magnitude } from '../define/wholeNumbers.ts';

/** Bits that a numerator or denominator may have. */
const MOST_BITS = 40_000;
/** Root of the largest integer that is looked through for square factors. */
const MOST_TRIALS = 50_000n;
const MOST_TERMS = 50;

/** A fraction in lowest terms; `below` is positive. */
interface Fraction {
  readonly above: bigint;
  readonly below: bigint;
}

/** Powers of symbols that are not 0: of π, which is `pi`, and of letters. */
type Powers = Readonly<Record<string, number>>;

/** `fraction · √radicand · powers`; no square divides the radicand. */
interface Term extends Fraction {
  readonly radicand: bigint;
  readonly powers: Powers;
}

/** Terms that are not 0, one for each radicand and powers. Equal numbers have equal terms. */
export type Surd = readonly Term[];

/** A number that is none (division by zero), or is beyond what is worked out here. */
export class NoSurdError extends Error {
  override readonly name: string = 'NoSurdError';
}

function bits(value: bigint): number {
  return value.toString(16).length * 4;
}

function fraction(above: bigint, below: bigint): Fraction {
  if (below === 0n) throw new NoSurdError('Division by zero.');
  if (bits(above) > MOST_BITS || bits(below) > MOST_BITS) throw new NoSurdError('A number is too long.');
  const divisor = gcd(above, below) * (below < 0n ? -1n : 1n);
  return { above: above / divisor, below: below / divisor };
}

function samePowers(a: Powers, b: Powers): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

/** The powers of `a · b^sign`. */
function joined(a: Powers, b: Powers, sign: 1 | -1): Powers {
  const names = Object.keys({ ...a, ...b });
  const powers = names.map((name) => [name, (a[name] ?? 0) + sign * (b[name] ?? 0)] as const);
  return Object.fromEntries(powers.filter(([, power]) => power !== 0));
}

/** `value` = outside² · inside, with no square in `inside`. */
function squareFactor(value: bigint): { outside: bigint; inside: bigint } {
  let [outside, inside, rest] = [1n, 1n, value];
  for (let prime = 2n; prime * prime <= rest; prime++) {
    if (prime > MOST_TRIALS) throw new NoSurdError('A number below a root is too large.');
    let count = 0;
    for (; rest % prime === 0n; count++) rest /= prime;
    outside *= prime ** BigInt(count >> 1);
    if (count % 2 === 1) inside *= prime;
  }
  return { outside, inside: inside * rest };
}

export function rational(above: bigint, below = 1n): Surd {
  return above === 0n && below !== 0n ? [] : [{ ...fraction(above, below), radicand: 1n, powers: {} }];
}

/** A letter, or π by its name `pi`. */
export const symbol = (name: string): Surd => [{ above: 1n, below: 1n, radicand: 1n, powers: { [name]: 1 } }];

const isLike = (a: Term, b: Term): boolean => a.radicand === b.radicand && samePowers(a.powers, b.powers);

export function add(a: Surd, b: Surd): Surd {
  const sum = [...a];
  for (const term of b) {
    const at = sum.findIndex((each) => isLike(each, term));
    const same = sum[at];
    if (same === undefined) {
      sum.push(term);
      continue;
    }
    const { above, below } = fraction(
      same.above * term.below + term.above * same.below,
      same.below * term.below,
    );
    sum.splice(at, 1, ...(above === 0n ? [] : [{ ...same, above, below }]));
  }
  if (sum.length > MOST_TERMS) throw new NoSurdError('A sum has too many terms.');
  return sum;
}

export function negate(a: Surd): Surd {
  return a.map((term) => ({ ...term, above: -term.above }));
}

function product(a: Term, b: Term): Term {
  const shared = gcd(a.radicand, b.radicand);
  return {
    ...fraction(a.above * b.above * shared, a.below * b.below),
    radicand: (a.radicand / shared) * (b.radicand / shared),
    powers: joined(a.powers, b.powers, 1),
  };
}

export function multiply(a: Surd, b: Surd): Surd {
  const products = a.map((term) => b.map((other) => product(term, other)));
  return products.reduce<Surd>(add, []);
}

/** Divides by a single term: 1 / (q √r x^k) = √r x^−k / (q r). */
export function divide(a: Surd, b: Surd): Surd {
  const [term, ...more] = b;
  if (term === undefined) throw new NoSurdError('Division by zero.');
  if (more.length > 0) throw new NoSurdError('Division by a sum.');
  const { above, below, radicand, powers } = term;
  return multiply(a, [{ ...fraction(below, above * radicand), radicand, powers: joined({}, powers, -1) }]);
}

/** The value as a fraction, or null. */
function asFraction(a: Surd): Fraction | null {
  const [term, ...more] = a;
  if (term === undefined) return { above: 0n, below: 1n };
  return more.length === 0 && term.radicand === 1n && samePowers(term.powers, {}) ? term : null;
}

/** √(a/b) = √(ab) / b, of a fraction that is not negative. */
export function squareRoot(a: Surd): Surd {
  const value = asFraction(a);
  if (value === null || value.above < 0n) throw new NoSurdError('The root of what is no positive fraction.');
  if (value.above === 0n) return [];
  const { outside, inside } = squareFactor(value.above * value.below);
  return [{ ...fraction(outside, value.below), radicand: inside, powers: {} }];
}

/** A whole power. */
export function power(base: Surd, exponent: Surd): Surd {
  const value = asFraction(exponent);
  if (value === null || value.below !== 1n) throw new NoSurdError('The exponent is not whole.');
  const size = magnitude(value.above);
  const plain = asFraction(base);
  if (plain === null) {
    if (size > 20n) throw new NoSurdError('The exponent is too large.');
    let result = rational(1n);
    for (let i = 0n; i < size; i++) result = multiply(result, base);
    return value.above < 0n ? divide(rational(1n), result) : result;
  }
  const longest = Math.max(bits(plain.above), bits(plain.below));
  if (size > BigInt(Math.floor(MOST_BITS / longest))) throw new NoSurdError('The exponent is too large.');
  const [above, below] = [plain.above ** size, plain.below ** size];
  return value.above < 0n ? rational(below, above) : rational(above, below);
}

/** Says whether one is the other times a number that is not 0. */
export function isMultiple(a: Surd, b: Surd): boolean {
  const [first] = a;
  const like = first && b.find((term) => isLike(term, first));
  if (first === undefined || like === undefined || a.length !== b.length) return false;
  const factor = rational(like.above * first.below, like.below * first.above);
  return add(multiply(a, factor), negate(b)).length === 0;
}
