/** Expressions of whole numbers: read, worked out exactly, step by step. */
import { productLine, sumLine } from '../shared/columnSteps.ts';

/** A number with its sign, one of `+ - * / )`, or an opening bracket, `(` or `-(`. */
export type ArithmeticToken = string;

export interface WorkedExpression {
  readonly value: bigint;
  /** One line for each operation, in the order in which they are done. */
  readonly steps: readonly string[];
}

/**
 * The parts of an expression, whatever the spacing. A minus where a value may start belongs to the number or bracket behind it. Throws
 * where a character fits nowhere.
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

/** Two single digits are known by heart; longer numbers are worked out in columns. */
function operationLine(a: bigint, operator: string, b: bigint, result: bigint): string {
  const short = [a, b].every((value) => value >= 0n && value < 10n);
  if (short || operator === '/') return `${a} ${operator} ${b} = ${result}`;
  return operator === '*' ? productLine(a, b) : sumLine(a, operator === '-' ? -b : b);
}

/**
 * Works an expression out, products and quotients first. Null where a quotient is not whole, where something is divided by zero, or where
 * it is no expression.
 */
export function workOut(tokens: readonly ArithmeticToken[]): WorkedExpression | null {
  const steps: string[] = [];
  let at = 0;

  function operand(): bigint | null {
    const token = tokens[at++];
    if (token === undefined) return null;
    if (!token.endsWith('(')) return /^-?\d+$/.test(token) ? BigInt(token) : null;
    const inner = sum();
    if (inner === null || tokens[at++] !== ')') return null;
    return token === '-(' ? -inner : inner;
  }

  function chain(operators: string, next: () => bigint | null): bigint | null {
    let value = next();
    for (;;) {
      const operator = tokens[at];
      if (value === null || operator === undefined || !operators.includes(operator)) return value;
      at++;
      const other = next();
      if (other === null || (operator === '/' && (other === 0n || value % other !== 0n))) return null;
      const result: bigint =
        operator === '*'
          ? value * other
          : operator === '/'
            ? value / other
            : operator === '+'
              ? value + other
              : value - other;
      steps.push(operationLine(value, operator, other, result));
      value = result;
    }
  }

  const product = (): bigint | null => chain('*/', operand);
  function sum(): bigint | null {
    return chain('+-', product);
  }

  const value = sum();
  return value === null || at < tokens.length ? null : { value, steps };
}
