/** Expressions of values and operators between them, worked out by one who knows the values. */

export interface InfixRules<Value> {
  /** Operators by how tightly they bind, loosest first; those of one level go from left to right. */
  readonly levels: readonly (readonly string[])[];
  /** Reads a value, and throws if the text is none. */
  readonly value: (text: string) => Value;
  readonly apply: (operator: string, left: Value, right: Value) => Value;
  /** The effect of a minus before a bracket. */
  readonly negate?: (value: Value) => Value;
}

/** Numbers in any notation with digits and letters, brackets, and operators of one or two characters. */
const TOKEN = /\s*([0-9][0-9a-z.]*|[()]|<<|>>|[-+*/])/iy;

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  const end = text.trimEnd().length;
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < end;) {
    const from = TOKEN.lastIndex;
    const token = TOKEN.exec(text)?.[1];
    if (token === undefined)
      throw new Error(
        `The expression can't be read at character ${from}; numbers, brackets and operators can.`,
      );
    tokens.push(token);
  }
  return tokens;
}

/**
 * The value of an expression in tokens: values, operators, `)`, and `(`, or with `negate` also `-(`. Throws if it is none, and throws what
 * `value` and `apply` throw.
 */
export function evaluateTokens<Value>(
  tokens: readonly string[],
  { levels, value, apply, negate }: InfixRules<Value>,
): Value {
  let at = 0;

  function operand(): Value {
    const token = tokens[at++] ?? '';
    if (token !== '(' && (token !== '-(' || negate === undefined)) return value(token);
    const inner = level(0);
    if (tokens[at++] !== ')') throw new Error('A bracket of the expression is not closed; close it.');
    return token === '(' || negate === undefined ? inner : negate(inner);
  }

  function level(depth: number): Value {
    const operators = levels[depth];
    if (operators === undefined) return operand();
    let left = level(depth + 1);
    for (;;) {
      const operator = tokens[at];
      if (operator === undefined || !operators.includes(operator)) return left;
      at++;
      left = apply(operator, left, level(depth + 1));
    }
  }

  const result = level(0);
  if (at < tokens.length)
    throw new Error(`The expression ends before "${tokens[at]}"; it must be one expression.`);
  return result;
}

/** The value of an expression such as `(0x1 + 0x2) << 0x3`. Throws where it is none, and what `value` and `apply` throw. */
export function evaluateInfix<Value>(text: string, rules: InfixRules<Value>): Value {
  return evaluateTokens(tokensOf(text), rules);
}
