/** Random expressions of whole numbers in which every division comes out even. */
import { pick, uniformInt } from '../../../base/random.ts';
import { type ArithmeticToken, workOut } from './arithmeticExpression.ts';

export interface ExpressionSettings {
  readonly operators: readonly string[];
  readonly allow_parentheses: boolean;
  readonly allow_negation: boolean;
}

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value);

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [magnitude(a), magnitude(b)];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

/** Trial divisors; larger pairs of divisors are not looked for. */
const MOST_TRIED = 2000n;

/** One of the positive divisors of `value` that are quickly found; 1 for 0. */
function drawDivisor(draw: () => number, value: bigint): bigint {
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
  draw: () => number,
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
  draw: () => number,
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
  draw: () => number,
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

/** Draws until a division that two groups share comes out even; nearly all do at once. */
const MOST_ATTEMPTS = 100;

/** Parts of an expression of `terms` numbers of up to `digits` digits. */
export function drawExpression(
  draw: () => number,
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
