import { pick, uniformInt, type Draw } from '@rl-playground/base/random';
import { arithmeticTokens, workOut, drawExpression } from './arithmeticExpression.ts';
import { decimalScore, textScore } from '../shared/scoring.ts';
import { choice, defineGymTask, flag, subset, whole } from '../shared/define.ts';

type Whitespace = 'no_space' | 'single' | 'random';

const SIMPLE = (expression: string): string => `Work out ${expression}.`;
const NATURAL: readonly ((expression: string) => string)[] = [
  (expression) => `How much is ${expression}?`,
  (expression) => `Find the value of ${expression}.`,
  (expression) => `Please work out ${expression}.`,
  (expression) => `What does this come to: ${expression}?`,
];

function spaced(draw: Draw, tokens: readonly string[], whitespace: Whitespace): string {
  if (whitespace !== 'random') return tokens.join(whitespace === 'single' ? ' ' : '');
  return tokens.map((token, i) => ' '.repeat(i === 0 ? 0 : uniformInt(draw, 0, 3)) + token).join('');
}

export const basicArithmetic = defineGymTask({
  name: 'basic_arithmetic',
  title: 'Basic arithmetic',
  summary: 'Work out an expression with the four operations and brackets.',
  family: 'arithmetic',
  fields: {
    min_terms: whole('Fewest terms', 'Fewest numbers in the expression.', 2, 20, 2),
    max_terms: whole('Most terms', 'Most numbers in the expression.', 2, 20, 6),
    min_digits: whole('Fewest digits', 'Most digits of a number in the easiest expressions.', 1, 9, 1),
    max_digits: whole('Most digits', 'Most digits of a number in the hardest expressions.', 1, 9, 4),
    operators: subset(
      'Operations',
      'The operations that may occur. Divisions always come out even.',
      { '+': 'Sum', '-': 'Difference', '*': 'Product', '/': 'Quotient' },
      ['+', '-', '*', '/'],
    ),
    allow_parentheses: flag('Brackets', 'Whether parts may stand in brackets.', true),
    allow_negation: flag('Negative numbers', 'Whether numbers and brackets may carry a minus.', true),
    format_style: choice(
      'Wording',
      'How the question is put.',
      { simple: 'Always the same', natural: 'One of several' },
      'simple',
    ),
    whitespace: choice(
      'Spaces',
      'Spaces between numbers and operations.',
      { single: 'One', no_space: 'None', random: 'None to three' },
      'single',
    ),
  },
  levels: [
    { max_terms: 2, max_digits: 1, operators: ['+', '-'], allow_parentheses: false },
    { max_terms: 3, max_digits: 1, operators: ['+', '-', '*'], allow_parentheses: false },
    { max_terms: 3, max_digits: 2, allow_negation: false },
    { max_terms: 4, max_digits: 3 },
    {},
    { min_terms: 5, max_terms: 10, max_digits: 6 },
  ],
  checkConfig: ({ operators }) =>
    operators.every((operator) => operator === '/')
      ? 'operators: division stands alone, and numbers inside a group need another operation; choose one of +, - and * too.'
      : null,
  space({ max_terms, max_digits, operators, allow_parentheses }) {
    if (allow_parentheses || operators.includes('/') || max_terms > 2) return null;
    return operators.length * (10 ** max_digits + 1) ** 2;
  },
  draw(draw, config) {
    const terms = uniformInt(draw, config.min_terms, config.max_terms);
    const digits = uniformInt(draw, config.min_digits, config.max_digits);
    const tokens = drawExpression(draw, terms, digits, config);
    const worked = workOut(tokens);
    if (worked === null) throw new Error(`${tokens.join(' ')} has no value; draw another expression.`);
    const expression = spaced(draw, tokens, config.whitespace);
    const ask = config.format_style === 'simple' ? SIMPLE : pick(draw, NATURAL);
    return {
      question: ask(expression),
      compact: `basic_arithmetic ${expression}`,
      key: tokens.join(' '),
      answer: `${worked.value}`,
      data: { expression },
    };
  },
  scoreAnswer: (candidate, { answer }, mode) =>
    mode === 'strict' ? decimalScore(candidate, answer, mode) : textScore(candidate, answer, mode),
  steps: ({ data: { expression } }) => (workOut(arithmeticTokens(expression))?.steps ?? []).join('\n'),
});
