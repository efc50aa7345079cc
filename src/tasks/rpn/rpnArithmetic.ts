import { askedAfter, defineTask } from '../define/define.ts';
import { choice, real, subset, whole, type ConfigOf } from '../define/fields.ts';
import { sumOver } from '../define/wholeNumbers.ts';
import { judged, withFault } from '../define/reason.ts';
import { uniformInt, type Draw } from '@rl-playground/base/random';
import type { DrawnProblem, Problem, Reward, ScoringSettings } from '../define/types.ts';
import { catalan, derivation, randomExpression } from './process.ts';
import { completionIds, verdict, type Marker } from './reward.ts';
import { rpnIds, rpnText, rpnVocabulary, type Operator } from './vocabulary.ts';

/** The share of demonstrations with `=` before their result. */
export const BOXED_RATE = 0.85;

type RewardType = 'combined' | 'boxed' | 'correct';

const fields = {
  p: whole('Modulus p', 'All numbers are taken modulo p, so they run from 0 to p − 1.', 2, 997, 13),
  operators: subset<Operator>(
    'Operators',
    'The operators of an expression. Their order is that of their tokens.',
    { '+': 'plus', '-': 'minus', '*': 'times' },
    ['+'],
  ),
  min_complexity: whole('Fewest operators', 'Operators of the shortest expressions.', 1, 10, 1),
  max_complexity: whole('Most operators', 'Operators of the longest expressions.', 1, 10, 3),
  reward_type: choice<RewardType>(
    'Reward',
    'What is paid for: an answer between = and <eoe> (boxed), the right one, or both with a weight each.',
    { combined: 'Boxed and correct', boxed: 'Boxed only', correct: 'Correct only' },
    'combined',
  ),
  boxed_weight: real('Weight of boxed', 'What the format earns under the combined reward.', 0, 10, 0.3),
  correct_weight: real(
    'Weight of correct',
    'What a right answer in the format earns on top under the combined reward.',
    0,
    10,
    0.7,
  ),
  answer_before: choice<Marker>(
    'Answer before',
    'Under upstream scoring: which <eoe> the result comes before, where an answer has several. Strict scoring allows one.',
    { last: 'The last <eoe>', first: 'The first <eoe>' },
    'last',
  ),
};
type Config = ConfigOf<typeof fields>;

interface Data {
  readonly p: number;
  readonly operators: readonly Operator[];
  readonly expression: string;
}

const SYSTEM_PROMPT = `You work out expressions in reverse Polish notation: an operator follows its two operands. All numbers are taken modulo the number in the problem, so they stay between 0 and one below it. Carry out operations step by step. Begin every step with = and write down what is left of the expression, with a space between any two signs. When one number is left, write <eoe> behind it and stop.

Here is one problem with a good answer.
Problem: Modulo 7: 4 5 + 6 *
Answer: = 2 6 * = 5 <eoe>`;

const vocabularyOf = ({ p, operators }: Pick<Config, 'p' | 'operators'>) => rpnVocabulary(p, operators);

function draw(next: Draw, config: Config): DrawnProblem<Data> {
  const { p, operators, min_complexity, max_complexity } = config;
  const vocabulary = vocabularyOf(config);
  const tokens = randomExpression(vocabulary, uniformInt(next, min_complexity, max_complexity), next);
  const expression = rpnText(vocabulary, tokens);
  return {
    question: `Modulo ${p}: ${expression}`,
    compact: `<boe> ${expression}`,
    answer: rpnText(vocabulary, derivation(vocabulary, tokens).at(-1) ?? tokens),
    data: { p, operators, expression },
  };
}

/** The lines of the equation behind the expression except the last, each behind its `=`. */
function steps({ data }: Problem<Data>): string[] {
  const vocabulary = vocabularyOf(data);
  const lines = derivation(vocabulary, rpnIds(vocabulary, data.expression)).slice(0, -1);
  return lines.map((line) => `= ${rpnText(vocabulary, line)}`);
}

function score(
  { data, answer }: Problem<Data>,
  completion: Parameters<typeof completionIds>[1],
  { mode, config }: ScoringSettings<Config>,
): Reward {
  const vocabulary = vocabularyOf(data);
  const {
    boxed,
    correct,
    answer: read,
    fault,
  } = verdict(
    vocabulary,
    rpnIds(vocabulary, data.expression),
    completionIds(vocabulary, completion),
    Number(answer),
    { mode, marker: config.answer_before },
  );
  const one = (flag: boolean): number => (flag ? 1 : 0);
  const parts: Record<RewardType, Readonly<Record<string, number>>> = {
    boxed: { boxed: one(boxed) },
    correct: { correct: one(correct) },
    combined: {
      boxed: config.boxed_weight * one(boxed),
      correct: config.correct_weight * one(boxed && correct),
    },
  };
  const chosen = parts[config.reward_type];
  const extracted = read === null ? null : (vocabulary.words[read] ?? null);
  // A right number that was not worked out is a wrong answer for its line, not for its number.
  const only = fault !== null && read === Number(answer) ? { truth: '' } : { truth: answer };
  return {
    total: Object.values(chosen).reduce((sum, part) => sum + part, 0),
    parts: chosen,
    correct,
    format: boxed,
    reason: withFault(judged({ correct, read: extracted, wanted: 'number before <eoe>', ...only }), fault),
    extracted,
  };
}

/** Modular arithmetic in reverse Polish notation: process, vocabulary and rewards of simplexity's RLVR system. */
export const rpnArithmetic = defineTask({
  name: 'rpn_arithmetic',
  title: 'RPN arithmetic',
  summary: 'Reduce an expression in reverse Polish notation modulo p, line by line, to one number.',
  source: 'simplexity RLVR',
  family: 'arithmetic',
  fields,
  levels: [1, 2, 3, 4, 5].map((most) => ({ min_complexity: 1, max_complexity: most })),
  checkConfig: ({ boxed_weight, correct_weight }) =>
    boxed_weight + correct_weight === 0
      ? 'correct_weight: it and boxed_weight are both 0, so that nothing would be paid; choose more than 0 for one of them.'
      : null,
  space: ({ p, operators, min_complexity, max_complexity }) =>
    sumOver(min_complexity, max_complexity, (k) => p ** (k + 1) * operators.length ** k * catalan(k)),
  draw,
  messages: askedAfter(SYSTEM_PROMPT),
  score,
  workedAnswer: (problem) => [...steps(problem), `= ${problem.answer} <eoe>`].join(' '),
  demonstration: (problem, next) =>
    [...steps(problem), `${next() < BOXED_RATE ? '= ' : ''}${problem.answer}`].join(' '),
});
