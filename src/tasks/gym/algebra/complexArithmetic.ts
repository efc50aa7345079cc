import { pickWeighted, uniformInt, type Draw } from '@rl-playground/base/random';
import { pythonFloat } from '@rl-playground/base/pythonNumbers';
import { skipSpace, splitSpace, stripSpace } from '../../python/text.ts';
import type { ScoringMode } from '../../define/types.ts';
import { defineGymTask, subset, weights, whole, type ConfigOf } from '../shared/define.ts';
import { floatText } from '../shared/floatText.ts';

interface Complex {
  readonly re: number;
  readonly im: number;
}

/** Parts closer to zero than this are left out. */
const ZERO = 1e-10;

/** `3.0 - 4.0i`; with one part zero `3.00` or `-4.00i`. */
export function formatComplex({ re, im }: Complex): string {
  if (Math.abs(im) < ZERO) return re.toFixed(2);
  if (Math.abs(re) < ZERO) return `${im.toFixed(2)}i`;
  return `${floatText(re)} ${im < 0 ? '-' : '+'} ${floatText(Math.abs(im))}i`;
}

/** The longest text that is read as a number. */
const MOST_CHARACTERS = 4000;

/** The index of the sign of the imaginary part, the last one that belongs to no exponent, or 0 if there is no real part. */
function lastSign(text: string): number {
  for (let at = text.length - 1; at > 0; at--) {
    if ((text[at] === '+' || text[at] === '-') && text[at - 1] !== 'e') return at;
  }
  return 0;
}

/** The number before the `j`; a sign alone, or nothing, stands for 1. */
function imaginaryPart(text: string): number | null {
  if (text === '' || text === '+') return 1;
  return text === '-' ? -1 : pythonFloat(text);
}

/**
 * Returns the number that reasoning-gym reads: without spaces, in any case, in any brackets, with `i` or `j`, the real part first. Returns
 * null if it reads none. Parts may be infinite or NaN.
 */
export function readComplex(text: string): Complex | null {
  if (text.length > MOST_CHARACTERS) return null;
  let plain = text.replaceAll(' ', '').toLowerCase();
  while (plain.length > 1 && plain.startsWith('(') && plain.endsWith(')')) plain = plain.slice(1, -1);
  plain = plain.replaceAll('i', 'j');
  if (!plain.endsWith('j')) {
    const re = pythonFloat(plain);
    return re === null ? null : { re, im: 0 };
  }
  const first = skipSpace(plain, 0);
  // Python's complex() does not take the ASCII separators for whitespace.
  if (Array.from(plain.slice(0, first)).some((space) => space >= '\x1c' && space <= '\x1f')) return null;
  const body = plain.slice(first, -1);
  const start = lastSign(body);
  const re = start === 0 ? 0 : pythonFloat(body.slice(0, start));
  // A part may hold no whitespace, which a float by itself may.
  const im = splitSpace(body).join('') !== body ? null : imaginaryPart(body.slice(start));
  return re === null || im === null ? null : { re, im };
}

type Operation = '+' | '-' | '*' | '/';
const OPERATIONS = ['+', '-', '*', '/'] as const;

const fields = {
  min_real: whole('Least real part', 'Smallest real part of a number.', -100_000, 100_000, -10),
  max_real: whole('Largest real part', 'Largest real part of a number.', -100_000, 100_000, 10),
  min_imag: whole('Least imaginary part', 'Smallest imaginary part.', -100_000, 100_000, -10),
  max_imag: whole('Largest imaginary part', 'Largest imaginary part.', -100_000, 100_000, 10),
  operations: subset('Operations', 'The operations that may come up.', {
    '+': 'Sum',
    '-': 'Difference',
    '*': 'Product',
    '/': 'Quotient',
  }),
  operations_weights: weights(
    'How often',
    'How often each operation comes up, beside the others.',
    OPERATIONS,
    [0.4, 0.4, 0.1, 0.1],
  ),
};
type Config = ConfigOf<typeof fields>;

const within = (bound: number) => ({ min_real: -bound, max_real: bound, min_imag: -bound, max_imag: bound });

const ASKED: Readonly<Record<Operation, (a: string, b: string) => string>> = {
  '+': (a, b) => `Work out this sum of complex numbers: (${a}) + (${b})`,
  '-': (a, b) => `Work out this difference of complex numbers: (${a}) - (${b})`,
  '*': (a, b) => `Work out this product of complex numbers: (${a}) × (${b})`,
  '/': (a, b) => `Work out this quotient of complex numbers: (${a}) ÷ (${b})`,
};

const product = (a: Complex, b: Complex): Complex => ({
  re: a.re * b.re - a.im * b.im,
  im: a.re * b.im + a.im * b.re,
});

/** The largest distance of a right number, because each part may be rounded. */
const TOLERANCE = 1e-6;
const MOST_MISSES = 100;

/** `upstream`: exp(−distance), so that any number near the right one earns something, and NaN, which is near nothing, earns 1. */
function complexScore(candidate: string, [re, im]: readonly [number, number], mode: ScoringMode): number {
  const given = readComplex(mode === 'strict' ? stripSpace(candidate) : candidate);
  if (given === null) return 0;
  const distance = Math.hypot(given.re - re, given.im - im);
  if (mode === 'strict') return distance < TOLERANCE ? 1 : 0;
  return Number.isNaN(distance) ? 1 : Math.min(1, Math.exp(-distance));
}

/** The weight of each operation, 0 for those that may not come up. */
const weightsOf = ({ operations, operations_weights }: Config): number[] =>
  OPERATIONS.map((operation, i) => (operations.includes(operation) ? (operations_weights[i] ?? 0) : 0));

function drawComplex(draw: Draw, { min_real, max_real, min_imag, max_imag }: Config): Complex {
  return { re: uniformInt(draw, min_real, max_real), im: uniformInt(draw, min_imag, max_imag) };
}

function drawNonZero(draw: Draw, config: Config): Complex {
  for (let attempt = 0; attempt < MOST_MISSES; attempt++) {
    const number = drawComplex(draw, config);
    if (number.re !== 0 || number.im !== 0) return number;
  }
  return { re: config.max_real === 0 ? config.min_real : config.max_real, im: config.max_imag };
}

export const complexArithmetic = defineGymTask({
  name: 'complex_arithmetic',
  title: 'Complex numbers',
  summary: 'Add, subtract, multiply or divide two complex numbers.',
  family: 'algebra',
  fields,
  levels: [
    { ...within(5), operations_weights: [1, 0, 0, 0] },
    { operations_weights: [0.5, 0.5, 0, 0] },
    {},
    { ...within(100), operations_weights: [0.25, 0.25, 0.25, 0.25] },
    { ...within(1000), operations_weights: [0.1, 0.1, 0.4, 0.4] },
  ],
  metadata: (z) => ({ result: z.tuple([z.number(), z.number()]) }),
  checkConfig(config) {
    const { min_real, max_real, min_imag, max_imag } = config;
    const shares = weightsOf(config);
    if (shares.every((share) => share === 0))
      return 'operations_weights: every chosen operation has the weight 0; give one of them more than 0.';
    const onlyZero = [min_real, max_real, min_imag, max_imag].every((bound) => bound === 0);
    return onlyZero && (shares[OPERATIONS.indexOf('/')] ?? 0) > 0
      ? 'max_real: all numbers are 0, and nothing can be divided by 0; widen a range or take the quotient out.'
      : null;
  },
  space(config) {
    const { min_real, max_real, min_imag, max_imag } = config;
    const numbers = (max_real - min_real + 1) * (max_imag - min_imag + 1);
    return weightsOf(config).filter((share) => share > 0).length * numbers ** 2;
  },
  draw(draw, config) {
    const operation = OPERATIONS[pickWeighted(draw, weightsOf(config))] ?? '+';
    const first = drawComplex(draw, config);
    const second = operation === '/' ? drawNonZero(draw, config) : drawComplex(draw, config);
    const sign = operation === '-' ? -1 : 1;
    const sum = { re: first.re + sign * second.re, im: first.im + sign * second.im };
    const times = product(first, second);
    // A quotient is drawn, and what is divided follows from it, so that it comes out even.
    const [shown, result] = operation === '/' ? [times, first] : [first, operation === '*' ? times : sum];
    const [a, b] = [formatComplex(shown), formatComplex(second)];
    return {
      question: ASKED[operation](a, b),
      key: `(${a}) ${operation} (${b})`,
      answer: formatComplex(result),
      data: { operation, result: [result.re, result.im] satisfies [number, number] },
    };
  },
  scoreAnswer: (candidate, { metadata: { result } }, mode) => complexScore(candidate, result, mode),
});
