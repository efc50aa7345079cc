/** Expressions over given numbers, which several puzzles ask for: drawing, writing and checking them. */
import { unless } from '@rl-playground/base/errors';
import { subset } from '../../define/fields.ts';
import * as exact from '../sympy/rational.ts';
import { ValueError, scalarOf } from '../sympy/value.ts';
import { evaluate } from '../sympy/expression.ts';
import { pick, uniformInt, type Draw } from '@rl-playground/base/random';
import { firstOf } from '../shared/attempts.ts';
import { readInteger } from '../../python/text.ts';

const OPERATORS = {
  '+': 'Addition',
  '-': 'Subtraction',
  '*': 'Multiplication',
  '/': 'Division',
} as const;
export type Operator = keyof typeof OPERATORS;

export const OPERATORS_FIELD = subset(
  'Operators',
  'What the solution that each puzzle is built from is made of.',
  OPERATORS,
);

/** Numbers joined from left to right, without regard to precedence: `operators[i]` comes before `numbers[i + 1]`. */
export interface Chain {
  readonly numbers: readonly number[];
  readonly operators: readonly Operator[];
}

export function apply(operator: Operator, a: number, b: number): number {
  if (operator === '+') return a + b;
  if (operator === '-') return a - b;
  return operator === '*' ? a * b : a / b;
}

export function chainValue({ numbers, operators }: Chain): number {
  return numbers.reduce(
    (value, number, i) => (i === 0 ? number : apply(operators[i - 1] ?? '+', value, number)),
    0,
  );
}

/** `(3 + 4)*5 - 6`: brackets only where a sum is multiplied or divided. */
export function chainText({ numbers, operators }: Chain): string {
  let text = `${numbers[0] ?? 0}`;
  let isSum = false;
  operators.forEach((operator, i) => {
    const next = numbers[i + 1] ?? 0;
    const adds = operator === '+' || operator === '-';
    if (adds) text += ` ${operator} ${next}`;
    else text = `${isSum ? `(${text})` : text}${operator}${next}`;
    isSum = adds;
  });
  return text;
}

/** The chain that `chainText` wrote. */
export function readChain(text: string): Chain {
  const words = text.match(/\d+|[-+*/]/g) ?? [];
  return {
    numbers: words.filter((_, i) => i % 2 === 0).map(Number),
    operators: words.filter((_, i) => i % 2 === 1) as Operator[],
  };
}

/** `3 + 4 = 7`, one line for each operator. */
export function chainSteps({ numbers, operators }: Chain): string {
  let value = numbers[0] ?? 0;
  return operators
    .map((operator, i) => {
      const next = numbers[i + 1] ?? 0;
      const before = value;
      value = apply(operator, value, next);
      return `${before} ${operator} ${next} = ${value}`;
    })
    .join('\n');
}

interface Range {
  readonly count: number;
  readonly low: number;
  readonly high: number;
  readonly operators: readonly string[];
}

/**
 * Draws a chain of whole values like reasoning-gym's generators, or returns null if it led to none. A division takes an unused number that
 * divides the value, or becomes a subtraction.
 */
function drawChain(draw: Draw, { count, low, high, operators: allowed }: Range): Chain | null {
  const numbers = Array.from({ length: count }, () => uniformInt(draw, low, high));
  const operators: Operator[] = [];
  let value = numbers[0] ?? 0;
  for (let i = 1; i < count; i++) {
    let operator = pick(draw, allowed) as Operator;
    if (operator === '/') {
      const current = value;
      const divisors = numbers.slice(i).filter((number) => current % number === 0);
      if (divisors.length > 0) numbers[i] = pick(draw, divisors);
      else if (allowed.includes('-')) operator = '-';
      else return null;
    }
    operators.push(operator);
    value = apply(operator, value, numbers[i] ?? 1);
  }
  return { numbers, operators };
}

/** The first of `attempts` chains whose value `accepts` likes, or null. */
export function findChain(
  draw: Draw,
  range: Range,
  accepts: (value: number) => boolean,
  attempts: number,
): Chain | null {
  return firstOf(attempts, () => {
    const chain = drawChain(draw, range);
    return chain !== null && accepts(chainValue(chain)) ? chain : null;
  });
}

/** The numbers that are whole words of a text (Python's `\b\d+\b`), as canonical decimals: `1.5 x2` → 1, 5. */
export function numbersIn(text: string): string[] {
  return (text.match(/[\p{L}\p{N}_]+/gu) ?? []).flatMap((word) => {
    const number = readInteger(word, 0);
    return number?.end === word.length && !word.startsWith('-') ? [number.value] : [];
  });
}

export function sameNumbers(given: readonly string[], wanted: readonly number[]): boolean {
  return given.length === wanted.length && given.toSorted().join() === wanted.map(String).toSorted().join();
}

const MOST_CHARACTERS = 1000;
const PLAIN = /^[\d\s()+\-*/]+$/;

/**
 * The exact value of an expression that uses each of `numbers` once, with `+ - * /`, signs and brackets, or null for anything else, such as
 * `**` or `//`.
 */
export function plainValue(candidate: string, numbers: readonly number[]): exact.Rational | null {
  if (candidate.length > MOST_CHARACTERS || !PLAIN.test(candidate)) return null;
  if (/\*\s*\*|\/\s*\//.test(candidate) || !sameNumbers(numbersIn(candidate), numbers)) return null;
  return unless([ValueError, exact.TooLargeError], null, () => {
    const value = evaluate(candidate);
    const scalar = value.kind === 'sum' ? scalarOf(value) : null;
    return scalar !== null && typeof scalar === 'object' ? scalar : null;
  });
}
