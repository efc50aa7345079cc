/** simplexity's RPN arithmetic process: random expressions, and the equation that reduces one to its value. */
import { choose } from '../define/wholeNumbers.ts';
import { uniformInt, type Draw } from '@rl-playground/base/random';
import { applyOperator, isOperand, isOperator, type RpnVocabulary } from './vocabulary.ts';

/** Number of Dyck paths with `pairs` steps up; exact for those of expressions. A uniform rank among them gives a uniform shape of a binary tree. */
export function catalan(pairs: number): number {
  return choose(2 * pairs, pairs) - choose(2 * pairs, pairs - 1);
}

/**
 * The path of a rank from 0 in the order of up before down; true is a step up. The paths that go on with a step up are counted by
 * reflection: C(rest, ups left) − C(rest, ups left − 1).
 */
export function dyckPath(pairs: number, rank: number): boolean[] {
  const path: boolean[] = [];
  let upsLeft = pairs;
  let left = rank;
  for (let rest = 2 * pairs - 1; rest >= 0; rest--) {
    const goingUp = choose(rest, upsLeft - 1) - choose(rest, upsLeft - 2);
    const up = left < goingUp;
    if (up) upsLeft--;
    else left -= goingUp;
    path.push(up);
  }
  return path;
}

/**
 * Draws 2k + 1 token ids: k + 1 operands and k operators in a tree, uniform over the Catalan(k) shapes. Behind a first operand, up takes an
 * operand and down an operator.
 */
export function randomExpression(vocabulary: RpnVocabulary, complexity: number, draw: Draw): number[] {
  const { p, equals } = vocabulary;
  const path = dyckPath(complexity, uniformInt(draw, 0, catalan(complexity) - 1));
  const operand = (): number => uniformInt(draw, 0, p - 1);
  return [operand(), ...path.map((up) => (up ? operand() : uniformInt(draw, p, equals - 1)))];
}

/** Reduces each operand, operand, operator to its result in one pass from left to right, which does not use a result again. */
export function reduceOnce(vocabulary: RpnVocabulary, tokens: readonly number[]): number[] {
  const reduced: number[] = [];
  for (let at = 0; at < tokens.length;) {
    const [left = -1, right = -1, operator = -1] = tokens.slice(at, at + 3);
    if (isOperand(vocabulary, left) && isOperand(vocabulary, right) && isOperator(vocabulary, operator)) {
      reduced.push(applyOperator(vocabulary, operator, left, right));
      at += 3;
    } else {
      reduced.push(left);
      at++;
    }
  }
  return reduced;
}

/** The lines of a well-formed expression's reduction, pass by pass; the last is its value. A single operand has none. */
export function derivation(vocabulary: RpnVocabulary, expression: readonly number[]): number[][] {
  const lines: number[][] = [];
  for (let line = [...expression]; line.length > 1;) {
    const next = reduceOnce(vocabulary, line);
    if (next.length === line.length)
      throw new Error(`Nothing can be reduced in ${line.length} tokens; a well-formed expression is needed.`);
    lines.push(next);
    line = next;
  }
  return lines;
}

/** `<boe> e0 = e1 = … = result <eoe>`; at most (k + 1)(k + 2) + 1 ids. */
export function equation(vocabulary: RpnVocabulary, expression: readonly number[]): number[] {
  const { boe, equals, eoe } = vocabulary;
  const lines = derivation(vocabulary, expression).flatMap((line) => [equals, ...line]);
  return [boe, ...expression, ...lines, eoe];
}
