import { defineTask } from './define.ts';
import { demonstrate, taggedAnswer } from './demonstration.ts';
import { uniformInt } from '../base/random.ts';
import { REWARD_RULE_FIELD, scoreDigits } from './score.ts';

/** Share of demonstrations with the tag, and share with a wrong last number. */
export const TAG_RATE = 0.5;
export const WRONG_ENDING_RATE = 0.4;

/** Two to four numbers, each of two or three digits; all bounds inclusive. */
const COUNT = { low: 2, high: 4 } as const;
const NUMBER = { low: 10, high: 999 } as const;
/** How far a wrong ending is from the truth at most. */
const MAX_ERROR = 9;

const SYSTEM_PROMPT = `You solve small arithmetic problems. Show your work one step after the other. Finish with a line that holds only the final number, written as [ANSWER] <number>.

Here is one problem with a good answer.
Problem: Add up all the digits of the numbers 48 and 305.
Answer:
The digits are 4, 8, 3, 0, 5.
4 + 8 = 12
12 + 3 = 15
15 + 0 = 15
15 + 5 = 20
[ANSWER] 20`;

function digitsOf(numbers: readonly number[]): number[] {
  return Array.from(numbers.join(''), Number);
}

/** Of all digits of the numbers. */
export function digitSum(numbers: readonly number[]): number {
  return digitsOf(numbers).reduce((sum, digit) => sum + digit, 0);
}

function drawNumbers(draw: () => number): readonly number[] {
  const count = uniformInt(draw, COUNT.low, COUNT.high);
  return Array.from({ length: count }, () => uniformInt(draw, NUMBER.low, NUMBER.high));
}

/** Asks for the digit sum of at least two numbers. */
export function digitSumQuestion(numbers: readonly number[]): string {
  const head = numbers.slice(0, -1).join(', ');
  return `Add up all the digits of the numbers ${head} and ${numbers.at(-1)}.`;
}

/** Running sums on one line: `1 + 2 = 3 + 3 = 6`. Each `=` needs only the two numbers before it. */
export function runningSums(numbers: readonly number[]): string {
  let sum = 0;
  return digitsOf(numbers)
    .map((digit, position) => {
      sum += digit;
      return position === 0 ? `${digit}` : ` + ${digit} = ${sum}`;
    })
    .join('');
}

/** A number near the truth that is not negative and not it. */
export function wrongSum(truth: number, draw: () => number): string {
  const below = Math.min(MAX_ERROR, truth);
  const error = uniformInt(draw, -below, MAX_ERROR - 1);
  return `${truth + (error < 0 ? error : error + 1)}`;
}

/** The total of all digits of a few numbers: the Monarch experiment's ranges and scoring, texts of our own. */
export const sumDigits = defineTask({
  name: 'sum_digits',
  title: 'Sum digits',
  summary: 'Add up all digits of two to four numbers between 10 and 999.',
  source: 'Monarch digit experiment',
  family: 'digits',
  fields: { reward_rule: REWARD_RULE_FIELD },
  levels: [{}],
  draw(draw) {
    const numbers = drawNumbers(draw);
    return {
      question: digitSumQuestion(numbers),
      compact: `sum ${numbers.join(' ')}`,
      key: numbers.join(','),
      answer: `${digitSum(numbers)}`,
      data: { numbers },
    };
  },
  messages: (problem) => [
    { role: 'system', content: SYSTEM_PROMPT },
    { role: 'user', content: problem.question },
  ],
  score: ({ answer }, { text }, { config }) => scoreDigits(answer, text, config.reward_rule),
  workedAnswer: ({ data, answer }) => taggedAnswer(runningSums(data.numbers), answer),
  demonstration: ({ data, answer }, draw) =>
    demonstrate(
      runningSums(data.numbers),
      answer,
      (more) => wrongSum(digitSum(data.numbers), more),
      { tagRate: TAG_RATE, wrongEndingRate: WRONG_ENDING_RATE },
      draw,
    ),
});
