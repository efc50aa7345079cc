/** Sums of digits: the Monarch experiment's ranges and scoring, and TorchTitan's later form of them; texts of our own. */
import { uniformInt, type Draw } from '../base/random.ts';
import { askedAfter, defineTask } from './define.ts';
import {
  ANSWER_TAG,
  demonstrate,
  extractAnswer,
  REWARD_RULE_FIELD,
  scoreDigits,
  taggedAnswer,
} from './digitAnswer.ts';
import { real, type ConfigOf, type TaskFields } from './fields.ts';
import { readInteger, skipSpace } from './python/text.ts';
import type { Reward } from './types.ts';

/** Share of demonstrations with the tag, and share with a wrong last number. */
export const TAG_RATE = 0.5;
export const WRONG_ENDING_RATE = 0.4;

/** Two to four numbers of at least two digits; all bounds inclusive. */
const COUNT = { low: 2, high: 4 } as const;
const LEAST_NUMBER = 10;
/** How far a wrong ending is from the truth at most. */
const MAX_ERROR = 9;

function digitsOf(numbers: readonly number[]): number[] {
  return Array.from(numbers.join(''), Number);
}

/** Of all digits of the numbers. */
export function digitSum(numbers: readonly number[]): number {
  return digitsOf(numbers).reduce((sum, digit) => sum + digit, 0);
}

/** Running sums on one line: `1 + 2 = 3 + 3 = 6`. Each `=` needs only the two numbers before it. */
function runningSums(numbers: readonly number[]): string {
  let sum = 0;
  return digitsOf(numbers)
    .map((digit, position) => {
      sum += digit;
      return position === 0 ? `${digit}` : ` + ${digit} = ${sum}`;
    })
    .join('');
}

/** A number near the truth that is not negative and not it. */
function wrongSum(truth: number, draw: Draw): string {
  const below = Math.min(MAX_ERROR, truth);
  const error = uniformInt(draw, -below, MAX_ERROR - 1);
  return `${truth + (error < 0 ? error : error + 1)}`;
}

interface DigitSums<Fields extends TaskFields> {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly source: string;
  readonly fields: Fields;
  /** Of the numbers. */
  readonly largest: number;
  readonly system: string;
  readonly score: (truth: string, text: string, config: ConfigOf<Fields>) => Reward;
}

function digitSumTask<Fields extends TaskFields>({ largest, system, score, ...task }: DigitSums<Fields>) {
  return defineTask({
    ...task,
    family: 'digits',
    levels: [{}],
    draw(draw) {
      const count = uniformInt(draw, COUNT.low, COUNT.high);
      const numbers = Array.from({ length: count }, () => uniformInt(draw, LEAST_NUMBER, largest));
      const head = numbers.slice(0, -1).join(', ');
      return {
        question: `Add up all the digits of the numbers ${head} and ${numbers.at(-1)}.`,
        compact: `sum ${numbers.join(' ')}`,
        key: numbers.join(','),
        answer: `${digitSum(numbers)}`,
        data: { numbers },
      };
    },
    messages: askedAfter(system),
    score: ({ answer }, { text }, { config }) => score(answer, text, config),
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
}

export const sumDigits = digitSumTask({
  name: 'sum_digits',
  title: 'Sum digits',
  summary: 'Add up all digits of two to four numbers between 10 and 999.',
  source: 'Monarch digit experiment',
  fields: { reward_rule: REWARD_RULE_FIELD },
  largest: 999,
  system: `You solve small arithmetic problems. Show your work one step after the other. Finish with a line that holds only the final number, written as [ANSWER] <number>.

Here is one problem with a good answer.
Problem: Add up all the digits of the numbers 48 and 305.
Answer:
The digits are 4, 8, 3, 0, 5.
4 + 8 = 12
12 + 3 = 15
15 + 0 = 15
15 + 5 = 20
[ANSWER] 20`,
  score: (truth, text, { reward_rule }) => scoreDigits(truth, text, reward_rule),
});

/** Exactly one tag, then a number, then nothing but whitespace. */
export function endsInTaggedNumber(text: string): boolean {
  const tag = text.indexOf(ANSWER_TAG);
  const behind = tag + ANSWER_TAG.length;
  if (tag < 0 || text.includes(ANSWER_TAG, behind)) return false;
  const number = readInteger(text, skipSpace(text, behind));
  return number !== null && skipSpace(text, number.end) === text.length;
}

/** ±1 for the right number, found as in the Monarch experiment, and `bonus` for a right one whose text ends in the one tag. */
export function scoreCleanDigits(truth: string, text: string, bonus: number): Reward {
  const { value, matchedBy } = extractAnswer(text);
  const correct = value === truth;
  const format = endsInTaggedNumber(text);
  const parts = { correct: correct ? 1 : -1, clean: correct && format ? bonus : 0 };
  return { total: parts.correct + parts.clean, parts, correct, format, extracted: value, matchedBy };
}

/** Two-digit numbers, and a bonus for a clean ending. */
export const sumDigitsTitan = digitSumTask({
  name: 'sum_digits_titan',
  title: 'Sum digits, clean ending',
  summary: 'Add up all digits of two to four numbers between 10 and 99, and stop right behind the answer.',
  source: 'TorchTitan',
  fields: {
    clean_bonus: real(
      'Bonus for a clean ending',
      'What a right answer earns on top of 1 if it has the [ANSWER] tag once and nothing behind its number.',
      0,
      2,
      0.2,
    ),
  },
  largest: 99,
  system: `You solve small arithmetic problems. Show your work one step after the other.
Finish with a line that holds only the final number, written as [ANSWER] <number>.
Stop there: nothing may follow the number.

Here is one problem with a good answer.
Problem: Add up all the digits of the numbers 48 and 35.
Answer:
The digits are 4, 8, 3, 5.
4 + 8 = 12
12 + 3 = 15
15 + 5 = 20
[ANSWER] 20`,
  score: (truth, text, { clean_bonus }) => scoreCleanDigits(truth, text, clean_bonus),
});
