/** The named constants and functions of the small computer algebra system: SymPy's names and those of Python's built-ins. */
import { gcd, magnitude } from '../../define/wholeNumbers.ts';
import * as exact from './rational.ts';
import * as algebra from './value.ts';
import type { Quantity } from './value.ts';

type Function = (...values: Quantity[]) => Quantity;

export const CONSTANTS: Readonly<Record<string, () => Quantity>> = {
  pi: () => algebra.symbol('pi', Math.PI),
  E: () => algebra.symbol('E', Math.E),
  I: algebra.imaginaryUnit,
  oo: () => algebra.OO,
  zoo: () => algebra.ZOO,
  nan: () => algebra.NAN,
};

const LARGEST_FACTORIAL = 450n;
const NOTHING = algebra.whole(0n);

function known(value: Quantity): number {
  const result = algebra.approximate(value);
  if (Number.isNaN(result)) throw new algebra.ValueError('A function was given what is no number.');
  return result;
}

function integer(value: Quantity): bigint {
  const result = algebra.integerOf(value);
  if (result === null) throw new algebra.ValueError('A whole number is needed.');
  return result;
}

function floor(value: Quantity): Quantity {
  const scalar = algebra.scalarOf(value);
  if (scalar !== null && typeof scalar === 'object') return algebra.whole(exact.floorOf(scalar));
  if (value.kind === 'special') return value;
  return algebra.whole(BigInt(Math.floor(known(value))));
}

/** Both numbers if one is a float, or null; the C library's remainder then replaces the quotient. */
function floats(a: Quantity, b: Quantity): readonly [number, number] | null {
  const [x, y] = [algebra.scalarOf(a), algebra.scalarOf(b)];
  const exactly = x === null || y === null || (typeof x === 'object' && typeof y === 'object');
  return exactly ? null : [algebra.scalarToNumber(x), algebra.scalarToNumber(y)];
}

const floatRemainder = (x: number, y: number): number => {
  const rest = x % y;
  return rest !== 0 && rest < 0 !== y < 0 ? rest + y : rest;
};

/** Python's and SymPy's remainder: its sign is the divisor's. */
export function remainder(value: Quantity, divisor: Quantity): Quantity {
  if (algebra.valueOrNull(divisor) === 0)
    throw new algebra.ValueError('There is no remainder of a division by 0.');
  const both = floats(value, divisor);
  if (both !== null) return algebra.number(floatRemainder(...both));
  if (value.kind === 'special' || divisor.kind === 'special') return algebra.NAN;
  return algebra.subtract(value, algebra.multiply(divisor, floor(algebra.divide(value, divisor))));
}

/** `//`: rounds towards −∞. */
export function floorDivide(a: Quantity, b: Quantity): Quantity {
  const both = floats(a, b);
  if (algebra.integerOf(b) === 0n) throw new algebra.ValueError('Nothing is divided by 0 with //.');
  if (both === null || both[1] === 0) return floor(algebra.divide(a, b));
  const [x, y] = both;
  return algebra.whole(BigInt(Math.round((x - floatRemainder(x, y)) / y)));
}

function extreme(values: readonly Quantity[], sign: 1 | -1): Quantity {
  const [first, ...rest] = values;
  if (first === undefined) throw new algebra.ValueError('At least one number is needed.');
  return rest.reduce((best, value) => (sign * (known(value) - known(best)) > 0 ? value : best), first);
}

/** `step` 1: n!; 2: n!!, every other factor. */
export function factorial(value: Quantity, step = 1n): Quantity {
  if (value.kind === 'special') return value.name === '-oo' ? algebra.ZOO : value;
  const count = algebra.integerOf(value);
  if (count === null) {
    const scalar = algebra.scalarOf(value);
    if (scalar !== null && typeof scalar === 'number' && step === 1n)
      return algebra.number(gamma(scalar + 1));
    return algebra.symbol(`factorial${step}(${algebra.describe(value)})`);
  }
  if (count < 0n) {
    if (step === 1n) return algebra.ZOO;
    throw new algebra.ValueError('A double factorial needs a number of 0 or more.');
  }
  if (count > LARGEST_FACTORIAL)
    throw new exact.TooLargeError(`${count}! is too long; at most ${LARGEST_FACTORIAL}!.`);
  let product = 1n;
  for (let factor = count; factor > 1n; factor -= step) product *= factor;
  return algebra.whole(product);
}

/** Γ(x) by Lanczos' approximation (g = 7, nine terms), to about 15 digits. */
function gamma(x: number): number {
  if (x < 0.5) return Math.PI / (Math.sin(Math.PI * x) * gamma(1 - x));
  const terms = [
    676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
    -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
  ];
  const series = terms.reduce((sum, term, i) => sum + term / (x + i), 0.99999999999980993);
  const t = x + 6.5;
  return Math.sqrt(2 * Math.PI) * t ** (x - 0.5) * Math.exp(-t) * series;
}

function binomial(n: Quantity, k: Quantity): Quantity {
  const [from, count] = [integer(n), integer(k)];
  if (count < 0n) return NOTHING;
  if (count > LARGEST_FACTORIAL) throw new exact.TooLargeError('A binomial coefficient is too long.');
  let product = exact.rational(1n);
  for (let i = 0n; i < count; i++) product = exact.multiply(product, exact.rational(from - i, i + 1n));
  return algebra.number(product);
}

function round(value: Quantity): Quantity {
  const scaled = algebra.add(value, algebra.number(exact.rational(1n, 2n)));
  const up = floor(scaled);
  const tie = algebra.describe(scaled) === algebra.describe(up) && integer(up) % 2n !== 0n;
  return tie ? algebra.subtract(up, algebra.whole(1n)) : up;
}

/** A function of a real number: exact at a few points, else a constant with a value. */
function realFunction(name: string, of: (x: number) => number): Function {
  return (value) => {
    const scalar = algebra.scalarOf(value);
    const at = algebra.valueOrNull(value);
    const result = at === null ? null : of(at);
    const sound = result !== null && Number.isFinite(result) ? result : null;
    if (sound !== null && typeof scalar === 'number') return algebra.number(sound);
    const nearest = sound === null ? 0 : Math.round(sound);
    if (sound !== null && scalar !== null && Math.abs(sound - nearest) < 1e-12)
      return algebra.whole(BigInt(nearest));
    return algebra.symbol(`${name}(${algebra.describe(value)})`, sound);
  };
}

const ln = realFunction('log', Math.log);
const half = algebra.number(exact.rational(1n, 2n));

export const FUNCTIONS: Readonly<Record<string, Function>> = {
  sqrt: (x) => algebra.power(x ?? NOTHING, half),
  cbrt: (x) => algebra.power(x ?? NOTHING, algebra.number(exact.rational(1n, 3n))),
  root: (x, n) => algebra.power(x ?? NOTHING, algebra.divide(algebra.whole(1n), n ?? NOTHING)),
  Abs: (x) => (known(x ?? NOTHING) < 0 ? algebra.negate(x ?? NOTHING) : (x ?? NOTHING)),
  sign: (x) => algebra.whole(BigInt(Math.sign(known(x ?? NOTHING)))),
  Min: (...values) => extreme(values, -1),
  Max: (...values) => extreme(values, 1),
  gcd: (...values) => algebra.whole(values.map(integer).reduce(gcd, 0n)),
  lcm: (...values) =>
    algebra.whole(
      values
        .map(integer)
        .reduce((a, b) => (a === 0n || b === 0n ? 0n : (magnitude(a) / gcd(a, b)) * magnitude(b)), 1n),
    ),
  floor: (x) => floor(x ?? NOTHING),
  ceiling: (x) => algebra.negate(floor(algebra.negate(x ?? NOTHING))),
  round: (x) => round(x ?? NOTHING),
  factorial: (x) => factorial(x ?? NOTHING),
  factorial2: (x) => factorial(x ?? NOTHING, 2n),
  binomial: (n, k) => binomial(n ?? NOTHING, k ?? NOTHING),
  Mod: (a, b) => remainder(a ?? NOTHING, b ?? NOTHING),
  Pow: (a, b) => algebra.power(a ?? NOTHING, b ?? NOTHING),
  Add: (...values) => values.reduce(algebra.add, NOTHING),
  Mul: (...values) => values.reduce(algebra.multiply, algebra.whole(1n)),
  Rational: (p, q) => algebra.divide(p ?? NOTHING, q ?? algebra.whole(1n)),
  Integer: (x) => algebra.whole(BigInt(Math.trunc(known(x ?? NOTHING)))),
  Float: (x) => algebra.number(known(x ?? NOTHING)),
  N: (x) => algebra.number(known(x ?? NOTHING)),
  S: (x) => x ?? NOTHING,
  exp: realFunction('exp', Math.exp),
  log: (x, base) =>
    base === undefined
      ? ln(x ?? NOTHING)
      : realFunction('log', (value) => Math.log(value) / Math.log(known(base)))(x ?? NOTHING),
  sin: realFunction('sin', Math.sin),
  cos: realFunction('cos', Math.cos),
  tan: realFunction('tan', Math.tan),
};

/** Other names of the same functions, Python's built-ins among them. */
export const ALIASES: Readonly<Record<string, string>> = {
  abs: 'Abs',
  min: 'Min',
  max: 'Max',
  pow: 'Pow',
  ln: 'log',
  sympify: 'S',
};

const ARGUMENTS: Readonly<Record<string, readonly [number, number]>> = {
  root: [2, 2],
  binomial: [2, 2],
  Mod: [2, 2],
  Pow: [2, 2],
  Rational: [1, 2],
  log: [1, 2],
  Min: [1, 99],
  Max: [1, 99],
  gcd: [2, 2],
  lcm: [2, 2],
  Add: [0, 99],
  Mul: [0, 99],
};

/** Calls a function by its name; one that is not known here gives a symbol without a value, as in SymPy. */
export function call(name: string, values: readonly Quantity[]): Quantity {
  const own = Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? name) : name;
  const known = Object.hasOwn(FUNCTIONS, own) ? FUNCTIONS[own] : undefined;
  if (known === undefined) return algebra.symbol(`${name}(${values.map(algebra.describe).join(',')})`);
  const [least, most] = ARGUMENTS[own] ?? [1, 1];
  if (values.length < least || values.length > most)
    throw new algebra.ValueError(`${name} got ${values.length} values; it takes ${least} to ${most}.`);
  return known(...values);
}
