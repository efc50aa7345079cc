/** Expressions of whole numbers: read, worked out exactly, step by step, and drawn so that every division comes out even. */
import { gcd, magnitude } from '../../define/wholeNumbers.ts';
import { pick, uniformInt, type Draw } from '@rl-playground/base/random';
import { productLine, sumLine } from '../shared/columnSteps.ts';
import { evaluateTokens } from '../shared/infix.ts';

/** A number with its sign, one of `+ - * / )`, or an opening bracket, `(` or `-(`. */
type ArithmeticToken = string;

export interface WorkedExpression {
  readonly value: bigint;
  /** The operations in the order in which they are done, one line each. */
  readonly steps: readonly string[];
}

/**
 * The tokens of an expression. A minus before a value belongs to the number or bracket that follows it. Throws at a character that fits
 * nowhere.
 */
export function arithmeticTokens(text: string): ArithmeticToken[] {
  const tokens: ArithmeticToken[] = [];
  const [value, operator] = [/\s*(-?(?:\d+|\())/y, /\s*([-+*/)])/y];
  let wantsValue = true;
  for (let at = 0; at < text.trimEnd().length;) {
    const pattern: RegExp = wantsValue ? value : operator;
    pattern.lastIndex = at;
    const token: string | undefined = pattern.exec(text)?.[1];
    if (token === undefined) throw new Error(`"${text}" can't be read as an expression at character ${at}.`);
    tokens.push(token);
    at = pattern.lastIndex;
    wantsValue = token.endsWith('(') || (token !== ')' && !/\d/.test(token));
  }
  return tokens;
}

/** The line of an operation; only longer numbers than two single digits are worked out in columns. */
function operationLine(a: bigint, operator: string, b: bigint, result: bigint): string {
  const short = [a, b].every((value) => value >= 0n && value < 10n);
  if (short || operator === '/') return `${a} ${operator} ${b} = ${result}`;
  return operator === '*' ? productLine(a, b) : sumLine(a, operator === '-' ? -b : b);
}

function operate(operator: string, a: bigint, b: bigint): bigint {
  if (operator === '+') return a + b;
  if (operator === '-') return a - b;
  if (operator === '*') return a * b;
  if (b === 0n || a % b !== 0n) throw new RangeError(`${a} / ${b} is not whole; divide by a divisor.`);
  return a / b;
}

/** Works an expression out, or returns null if it is none, divides by zero, or has a quotient that is not whole. */
export function workOut(tokens: readonly ArithmeticToken[]): WorkedExpression | null {
  const steps: string[] = [];
  try {
    const value = evaluateTokens(tokens, {
      levels: [
        ['+', '-'],
        ['*', '/'],
      ],
      value(text) {
        if (!/^-?\d+$/.test(text)) throw new RangeError(`"${text}" is no number; write digits.`);
        return BigInt(text);
      },
      apply(operator, a, b) {
        const result = operate(operator, a, b);
        steps.push(operationLine(a, operator, b, result));
        return result;
      },
      negate: (inner) => -inner,
    });
    return { value, steps };
  } catch {
    return null;
  }
}

interface ExpressionSettings {
  readonly operators: readonly string[];
  readonly allow_parentheses: boolean;
  readonly allow_negation: boolean;
}

/** Trial divisors; larger pairs of divisors are not looked for. */
const MOST_TRIED = 2000n;

/** A positive divisor of `value` that is quickly found; 1 for 0. */
function drawDivisor(draw: Draw, value: bigint): bigint {
  const divisors = new Set<bigint>([1n]);
  for (let tried = 1n; tried * tried <= value && tried <= MOST_TRIED; tried++)
    if (value % tried === 0n) divisors.add(tried).add(value / tried);
  return pick(draw, [...divisors]);
}

/** Value of the products and quotients that the list ends in, which is what a `/` behind it divides. */
function lastChain(tokens: readonly ArithmeticToken[]): bigint | null {
  let depth = 0;
  let start = tokens.length;
  while (start > 0) {
    const token = tokens[start - 1] ?? '';
    if (token === ')') depth++;
    if (token.endsWith('(')) depth--;
    if (depth === 0 && (token === '+' || token === '-')) break;
    start--;
  }
  return workOut(tokens.slice(start))?.value ?? null;
}

/** Number of tokens of the bracketed group that the list starts with; 0 without one. */
function groupLength(tokens: readonly ArithmeticToken[]): number {
  if (!tokens[0]?.endsWith('(')) return 0;
  let depth = 0;
  for (const [i, token] of tokens.entries()) {
    if (token.endsWith('(')) depth++;
    if (token === ')' && --depth === 0) return i + 1;
  }
  return 0;
}

/** `left / right`, `right` changed so that the division comes out even. */
function divided(
  draw: Draw,
  left: readonly ArithmeticToken[],
  right: readonly ArithmeticToken[],
): ArithmeticToken[] {
  const dividend = lastChain(left) ?? 0n;
  const length = groupLength(right);
  const group = right.slice(0, length);
  const value = workOut(length > 0 ? group : right)?.value ?? 0n;
  const divisor = drawDivisor(draw, gcd(dividend, value));
  if (right.length === 1) return [...left, '/', `${divisor}`];
  if (length === 0) return [...left, '/', `${divisor}`, '+', ...right];
  const difference = right[0] === '-(' ? value - divisor : divisor - value;
  return [...left, '/', ...group.slice(0, -1), '+', `${difference}`, ')', ...right.slice(length)];
}

/** An expression of `terms` numbers, with brackets. The number after a division may be one more. */
function bracketed(
  draw: Draw,
  terms: number,
  constant: () => number,
  settings: ExpressionSettings,
): ArithmeticToken[] {
  const { operators, allow_negation } = settings;
  const flat = operators.filter((operator) => operator !== '/');
  const count = uniformInt(draw, 1, terms);
  const left: ArithmeticToken[] = [];
  if (count > 1 && draw() < 0.5) {
    const open = allow_negation && draw() < 0.5 ? '-(' : '(';
    left.push(open, ...bracketed(draw, count, constant, settings), ')');
  } else {
    for (let i = 0; i < count; i++) left.push(...(i > 0 ? [pick(draw, flat)] : []), `${constant()}`);
  }
  if (count === terms) return left;
  const operator = pick(draw, operators);
  const right = bracketed(draw, terms - count, constant, settings);
  return operator === '/' ? divided(draw, left, right) : [...left, operator, ...right];
}

/** An expression of `terms` numbers without brackets; a division without a fitting divisor becomes a product. */
function unbracketed(
  draw: Draw,
  terms: number,
  digits: number,
  operators: readonly string[],
): ArithmeticToken[] {
  const limit = 10n ** BigInt(digits);
  const tokens = [`${uniformInt(draw, 0, Number(limit))}`];
  while (tokens.length < 2 * terms - 1) {
    const operator = pick(draw, operators);
    const constant = `${uniformInt(draw, 0, Number(limit))}`;
    const dividend = magnitude(lastChain(tokens) ?? 0n);
    const divisors: bigint[] = [];
    if (operator === '/')
      for (let tried = 2n; tried <= dividend && tried < limit; tried++)
        if (dividend % tried === 0n) divisors.push(tried);
    if (divisors.length > 0) tokens.push('/', `${pick(draw, divisors)}`);
    else tokens.push(operator === '/' ? '*' : operator, constant);
  }
  return tokens;
}

/** The number of attempts to make a division that two groups share come out even; nearly all succeed at once. */
const MOST_ATTEMPTS = 100;

/** Parts of an expression of `terms` numbers of up to `digits` digits. */
export function drawExpression(
  draw: Draw,
  terms: number,
  digits: number,
  settings: ExpressionSettings,
): ArithmeticToken[] {
  if (!settings.allow_parentheses) return unbracketed(draw, terms, digits, settings.operators);
  const high = 10 ** digits - 1;
  const constant = () => uniformInt(draw, settings.allow_negation ? -high : 0, high);
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const tokens = bracketed(draw, terms, constant, settings);
    if (workOut(tokens) !== null) return tokens;
  }
  return bracketed(draw, terms, constant, {
    ...settings,
    operators: settings.operators.filter((operator) => operator !== '/'),
  });
}
