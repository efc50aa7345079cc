/**
 * The values of a small computer algebra system after SymPy: sums of products of symbols with exact or floating coefficients, and infinite
 * numbers. Only a number is multiplied into a sum; products of sums stay.
 */
import { unless } from '@rl-playground/base/errors';
import * as exact from './rational.ts';
import type { Rational } from './rational.ts';

/** A 64-bit float, or an exact fraction. */
export type Scalar = number | Rational;

/** A factor of a term: a symbol, a constant such as π, or a product of sums. */
interface Atom {
  /** The real value, or null if there is none. */
  readonly approximate: number | null;
  readonly power: bigint;
}
interface Term {
  readonly coefficient: Scalar;
  readonly atoms: ReadonlyMap<string, Atom>;
}

/** A sum of terms by the text of their atoms; the empty text is the number, and an empty sum is 0. */
export interface Sum {
  readonly kind: 'sum';
  readonly terms: ReadonlyMap<string, Term>;
}
/** `zoo` is SymPy's infinity without a direction, 1/0. */
export interface Special {
  readonly kind: 'special';
  readonly name: 'oo' | '-oo' | 'zoo' | 'nan';
}
export type Quantity = Sum | Special;

export class ValueError extends Error {}

const IMAGINARY_UNIT = 'I';
const MOST_TERMS = 60;
const ZERO: Sum = { kind: 'sum', terms: new Map() };
export const NAN: Special = { kind: 'special', name: 'nan' };
export const ZOO: Special = { kind: 'special', name: 'zoo' };
export const OO: Special = { kind: 'special', name: 'oo' };
const NEGATIVE_OO: Special = { kind: 'special', name: '-oo' };

const isZero = (value: Scalar): boolean => (typeof value === 'number' ? value === 0 : value.p === 0n);
export const scalarToNumber = (value: Scalar): number =>
  typeof value === 'number' ? value : exact.toNumber(value);

const addScalars = (a: Scalar, b: Scalar): Scalar =>
  typeof a === 'object' && typeof b === 'object' ? exact.add(a, b) : scalarToNumber(a) + scalarToNumber(b);
const multiplyScalars = (a: Scalar, b: Scalar): Scalar =>
  typeof a === 'object' && typeof b === 'object'
    ? exact.multiply(a, b)
    : scalarToNumber(a) * scalarToNumber(b);

const keyOf = (atoms: ReadonlyMap<string, Atom>): string =>
  Array.from(atoms, ([name, { power }]) => `${name}^${power}`)
    .sort()
    .join('*');

function sumOf(terms: readonly Term[]): Sum {
  const merged = new Map<string, Term>();
  for (const { coefficient, atoms } of terms) {
    const key = keyOf(atoms);
    const before = merged.get(key);
    const total = before === undefined ? coefficient : addScalars(before.coefficient, coefficient);
    if (isZero(total) && !(typeof total === 'number' && key === '')) merged.delete(key);
    else merged.set(key, { coefficient: total, atoms });
  }
  if (merged.size > MOST_TERMS) throw new ValueError(`More than ${MOST_TERMS} terms.`);
  return { kind: 'sum', terms: merged };
}

export function number(value: Scalar): Quantity {
  if (typeof value === 'number' && !Number.isFinite(value))
    return Number.isNaN(value) ? NAN : value > 0 ? OO : NEGATIVE_OO;
  return sumOf([{ coefficient: value, atoms: new Map() }]);
}

export const whole = (value: bigint): Quantity => number(exact.rational(value));

/** A symbol, or with `approximate` a constant. */
export function symbol(name: string, approximate: number | null = null): Sum {
  return sumOf([opaque(name, approximate)]);
}

export const imaginaryUnit = (): Sum => symbol(IMAGINARY_UNIT);

/** The number of a quantity, or null if it holds symbols or constants. */
export function scalarOf(value: Quantity): Scalar | null {
  if (value.kind === 'special' || value.terms.size > 1) return null;
  const [term] = value.terms.values();
  if (term === undefined) return exact.rational(0n);
  return term.atoms.size === 0 ? term.coefficient : null;
}

/** The whole number that a quantity exactly is, or null. */
export function integerOf(value: Quantity): bigint | null {
  const scalar = scalarOf(value);
  return scalar !== null && typeof scalar === 'object' && scalar.q === 1n ? scalar.p : null;
}

/** A float's value of a quantity, ±Infinity and NaN included. Throws ValueError where symbols are left, and for 1/0. */
export function approximate(value: Quantity): number {
  if (value.kind === 'special') {
    if (value.name === 'zoo') throw new ValueError('Infinity without a direction is no number.');
    return value.name === 'nan' ? Number.NaN : value.name === 'oo' ? Infinity : -Infinity;
  }
  let total = 0;
  for (const { coefficient, atoms } of value.terms.values()) {
    let product = scalarToNumber(coefficient);
    for (const [name, { approximate: base, power }] of atoms) {
      if (base === null) throw new ValueError(`${name.slice(0, 40)} has no real value.`);
      product *= base ** Number(power);
    }
    total += product;
  }
  return total;
}

/** A sum as one factor of a product. */
function asFactor(value: Sum): Term {
  const [only, ...others] = value.terms.values();
  if (only !== undefined && others.length === 0) return only;
  return opaque(`(${describe(value)})`, valueOrNull(value));
}

const opaque = (name: string, approximated: number | null): Term => ({
  coefficient: exact.rational(1n),
  atoms: new Map([[name, { approximate: approximated, power: 1n }]]),
});

export function valueOrNull(value: Quantity): number | null {
  const result = unless([ValueError], null, () => approximate(value));
  return Number.isFinite(result) ? result : null;
}

/** Canonical text. */
export function describe(value: Quantity): string {
  if (value.kind === 'special') return value.name;
  const text = Array.from(value.terms, ([key, { coefficient }]) =>
    typeof coefficient === 'number' ? `${coefficient}.*${key}` : `${coefficient.p}/${coefficient.q}*${key}`,
  )
    .sort()
    .join('+');
  if (text.length > 4000) throw new ValueError('The expression is too long.');
  return text;
}

const signOf = (value: Quantity): number => {
  if (value.kind === 'special') return value.name === 'oo' ? 1 : value.name === '-oo' ? -1 : Number.NaN;
  return Math.sign(valueOrNull(value) ?? Number.NaN);
};

export function add(a: Quantity, b: Quantity): Quantity {
  if (a.kind === 'sum' && b.kind === 'sum') return sumOf([...a.terms.values(), ...b.terms.values()]);
  if (a.kind === 'sum' || b.kind === 'sum') {
    const [special, sum] = a.kind === 'sum' ? [b, a] : [a, b];
    const known = valueOrNull(sum) !== null || (special.kind === 'special' && special.name === 'nan');
    return known ? special : symbol(`${describe(special)}+${describe(sum)}`);
  }
  return a.name === b.name && a.name !== 'zoo' ? a : NAN;
}

export const negate = (value: Quantity): Quantity => multiply(whole(-1n), value);
export const subtract = (a: Quantity, b: Quantity): Quantity => add(a, negate(b));

function multiplySpecial(a: Quantity, b: Quantity): Quantity {
  if (a.kind === 'special' && a.name === 'nan') return NAN;
  if (b.kind === 'special' && b.name === 'nan') return NAN;
  const sign = signOf(a) * signOf(b);
  if (signOf(a) === 0 || signOf(b) === 0) return NAN;
  if (Number.isNaN(sign)) return ZOO;
  return sign > 0 ? OO : NEGATIVE_OO;
}

function multiplyTerms(a: Term, b: Term): Term {
  const atoms = new Map(a.atoms);
  for (const [name, { approximate: value, power }] of b.atoms) {
    const together = (atoms.get(name)?.power ?? 0n) + power;
    if (together === 0n) atoms.delete(name);
    else atoms.set(name, { approximate: value, power: together });
  }
  let coefficient = multiplyScalars(a.coefficient, b.coefficient);
  const turns = atoms.get(IMAGINARY_UNIT);
  if (turns !== undefined) {
    const quarter = ((turns.power % 4n) + 4n) % 4n;
    if (quarter >= 2n) coefficient = multiplyScalars(exact.rational(-1n), coefficient);
    if (quarter % 2n === 0n) atoms.delete(IMAGINARY_UNIT);
    else atoms.set(IMAGINARY_UNIT, { ...turns, power: 1n });
  }
  return { coefficient, atoms };
}

export function multiply(a: Quantity, b: Quantity): Quantity {
  if (a.kind === 'special' || b.kind === 'special') return multiplySpecial(a, b);
  const [left, right] = [scalarOf(a), scalarOf(b)];
  const scalar = left ?? right;
  if (scalar === null) return sumOf([multiplyTerms(asFactor(a), asFactor(b))]);
  const other = left === null ? a : b;
  if (other.terms.size === 0) return ZERO;
  return sumOf(
    Array.from(other.terms.values(), ({ coefficient, atoms }) => ({
      coefficient: multiplyScalars(scalar, coefficient),
      atoms,
    })),
  );
}

function scalarPower(base: Scalar, exponent: Scalar): Quantity {
  if (isZero(base)) {
    const sign = Math.sign(scalarToNumber(exponent));
    return sign < 0 ? ZOO : sign === 0 ? whole(1n) : number(base);
  }
  if (typeof base === 'object' && typeof exponent === 'object') {
    if (exponent.q === 1n) return number(exact.power(base, exponent.p));
    const negative = base.p < 0n;
    if (negative && exponent.q !== 2n) return symbol(`root(${base.p}/${base.q},${exponent.p}/${exponent.q})`);
    const [p, q] = [
      exact.wholeRoot(negative ? -base.p : base.p, exponent.q),
      exact.wholeRoot(base.q, exponent.q),
    ];
    const value = Math.abs(exact.toNumber(base)) ** (1 / Number(exponent.q));
    const root =
      p !== null && q !== null
        ? number(exact.rational(p, q))
        : symbol(`root(${base.p}/${base.q},${exponent.q})`, value);
    const turned = negative ? multiply(imaginaryUnit(), root) : root;
    return power(turned, whole(exponent.p));
  }
  const [x, y] = [scalarToNumber(base), scalarToNumber(exponent)];
  if (x < 0 && !Number.isInteger(y)) return symbol(`${x}^${y}`);
  return number(x ** y);
}

/** `base ** exponent`. */
export function power(base: Quantity, exponent: Quantity): Quantity {
  if (exponent.kind === 'special' || base.kind === 'special') {
    const times = exponent.kind === 'special' ? null : scalarOf(exponent);
    if (times === null || base.kind !== 'special') return NAN;
    const sign = Math.sign(scalarToNumber(times));
    if (base.name === 'nan' || sign === 0) return sign === 0 ? whole(1n) : NAN;
    return sign < 0
      ? ZERO
      : base.name === '-oo' && integerOf(exponent) !== null
        ? Number(integerOf(exponent)) % 2 === 0
          ? OO
          : base
        : base;
  }
  const [low, high] = [scalarOf(base), scalarOf(exponent)];
  if (low !== null && high !== null) return scalarPower(low, high);
  const times = integerOf(exponent);
  if (times === 0n) return whole(1n);
  if (times === null || times > 1000n || times < -1000n) {
    const [x, y] = [valueOrNull(base), valueOrNull(exponent)];
    const value = x !== null && y !== null && x > 0 ? x ** y : null;
    return symbol(`pow(${describe(base)},${describe(exponent)})`, value);
  }
  const { coefficient, atoms } = asFactor(base);
  const raised = Array.from(atoms, ([name, atom]): Term => ({
    coefficient: exact.rational(1n),
    atoms: new Map([[name, { ...atom, power: atom.power * times }]]),
  }));
  const scale = scalarPower(coefficient, exact.rational(times));
  return raised.reduce<Quantity>((product, term) => {
    const factor = sumOf([multiplyTerms(term, { coefficient: exact.rational(1n), atoms: new Map() })]);
    return multiply(product, factor);
  }, scale);
}

export function divide(a: Quantity, b: Quantity): Quantity {
  const [above, below] = [scalarOf(a), scalarOf(b)];
  if (above !== null && below !== null) {
    if (isZero(below)) return isZero(above) ? NAN : ZOO;
    if (typeof above === 'number' || typeof below === 'number')
      return number(scalarToNumber(above) / scalarToNumber(below));
  }
  return multiply(a, power(b, whole(-1n)));
}
