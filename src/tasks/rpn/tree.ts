/** Expressions as trees, to see whether one line of a derivation follows from another. */
import { applyOperator, isOperand, isOperator, type RpnVocabulary } from './vocabulary.ts';

export interface RpnTree {
  readonly value: number;
  /** Operators in it; 0 for an operand. */
  readonly operations: number;
  /** Null for an operand. */
  readonly inner: { readonly operator: number; readonly left: RpnTree; readonly right: RpnTree } | null;
}

/** The tree of a well-formed expression, fully evaluated; null for any other list of tokens. */
export function parseRpn(vocabulary: RpnVocabulary, tokens: readonly number[]): RpnTree | null {
  const stack: RpnTree[] = [];
  for (const token of tokens) {
    if (isOperand(vocabulary, token)) {
      stack.push({ value: token, operations: 0, inner: null });
      continue;
    }
    const right = stack.pop();
    const left = stack.pop();
    if (left === undefined || right === undefined || !isOperator(vocabulary, token)) return null;
    stack.push({
      value: applyOperator(vocabulary, token, left.value, right.value),
      operations: left.operations + right.operations + 1,
      inner: { operator: token, left, right },
    });
  }
  const [tree] = stack;
  return stack.length === 1 && tree !== undefined ? tree : null;
}

function agrees(before: RpnTree, after: RpnTree): boolean {
  if (after.inner === null) return before.value === after.value;
  return (
    before.inner !== null &&
    before.inner.operator === after.inner.operator &&
    agrees(before.inner.left, after.inner.left) &&
    agrees(before.inner.right, after.inner.right)
  );
}

/** Whether `after` is `before` with one or more of its operations carried out, in any order and number. */
export function followsFrom(before: RpnTree, after: RpnTree): boolean {
  return after.operations < before.operations && agrees(before, after);
}
