import { magnitude } from '../../define/wholeNumbers.ts';
import { pythonIntLiteral } from '@rl-playground/base/pythonNumbers';
import { stripSpace } from '../../python/text.ts';
import { pick, uniformInt, type Draw } from '@rl-playground/base/random';
import { defineGymTask, whole } from '../shared/define.ts';
import { evaluateInfix } from '../shared/infix.ts';

const OPERATORS = ['+', '-', '*', '<<', '>>'] as const;
/** The share of groups that are a single number. */
const SINGLE_RATE = 0.01;
const MOST_SHIFT = 4096n;

const hex = (value: bigint): string => `${value < 0n ? '-' : ''}0x${magnitude(value).toString(16)}`;

const RULES = {
  levels: [['<<', '>>'], ['+', '-'], ['*']],
  value(text: string): bigint {
    const value = pythonIntLiteral(text);
    if (value === null) throw new Error(`"${text.slice(0, 40)}" is no whole number; write it like 0x1f.`);
    return value;
  },
  apply(operator: string, left: bigint, right: bigint): bigint {
    if (operator === '+') return left + right;
    if (operator === '-') return left - right;
    if (operator === '*') return left * right;
    if (right < 0n || right > MOST_SHIFT)
      throw new Error(`A shift by ${right} is out of range; choose 0 to ${MOST_SHIFT}.`);
    // On negative numbers, too, as on two's complement without end.
    return operator === '<<' ? left << right : left >> right;
  },
};

function drawExpression(draw: Draw, depth: number): string {
  if (depth <= 0 || draw() < SINGLE_RATE) return `0x${uniformInt(draw, 0x100, 0xffff).toString(16)}`;
  const operator = pick(draw, OPERATORS);
  const left = drawExpression(draw, depth - 1);
  const shift = operator === '<<' || operator === '>>';
  const right = shift ? `0x${uniformInt(draw, 0, 3)}` : drawExpression(draw, depth - 1);
  return `(${left} ${operator} ${right})`;
}

export const bitwiseArithmetic = defineGymTask({
  name: 'bitwise_arithmetic',
  title: 'Bitwise arithmetic',
  summary: 'Work out an expression of hexadecimal numbers with sums, products and shifts.',
  family: 'arithmetic',
  fields: { difficulty: whole('Depth', 'How deep brackets are nested.', 1, 10, 2) },
  levels: [{ difficulty: 1 }, {}, { difficulty: 3 }, { difficulty: 4 }],
  metadata: (z) => ({ problem: z.string() }),
  draw(draw, { difficulty }) {
    const problem = drawExpression(draw, difficulty);
    return {
      question: `Work out the following expression of hexadecimal numbers. Numbers are signed and have as many bits as they need; >> rounds down. Answer with the hexadecimal value alone, with a minus sign where it is negative, such as -0x3.\n${problem}`,
      compact: `bitwise_arithmetic ${problem}`,
      key: problem,
      answer: hex(evaluateInfix(problem, RULES)),
      data: { problem },
    };
  },
  scoreAnswer(candidate, { metadata: { problem } }, mode) {
    const given = pythonIntLiteral(candidate);
    if (given === null) return 0;
    // A plain decimal number is right upstream as well; asked for is a hexadecimal one.
    if (mode === 'strict' && !/^-?0x[0-9a-f]+$/i.test(stripSpace(candidate))) return 0;
    try {
      return given === evaluateInfix(problem, RULES) ? 1 : 0;
    } catch {
      return 0;
    }
  },
});
