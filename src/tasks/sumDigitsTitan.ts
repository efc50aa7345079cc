import { defineTask } from './define.ts';
import { demonstrate, taggedAnswer } from './demonstration.ts';
import { ANSWER_TAG, extractAnswer } from './extractAnswer.ts';
import { real } from './fields.ts';
import { readInteger, skipSpace } from './python/text.ts';
import { uniformInt } from '../base/random.ts';
import {
  digitSum,
  digitSumQuestion,
  runningSums,
  TAG_RATE,
  WRONG_ENDING_RATE,
  wrongSum,
} from './sumDigits.ts';
import type { Reward } from './types.ts';

/** Bounds inclusive. */
const COUNT = { low: 2, high: 4 } as const;
const NUMBER = { low: 10, high: 99 } as const;

const SYSTEM_PROMPT = `You solve small arithmetic problems. Show your work one step after the other.
Finish with a line that holds only the final number, written as [ANSWER] <number>.
Stop there: nothing may follow the number.

Here is one problem with a good answer.
Problem: Add up all the digits of the numbers 48 and 35.
Answer:
The digits are 4, 8, 3, 5.
4 + 8 = 12
12 + 3 = 15
15 + 5 = 20
[ANSWER] 20`;

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

/** TorchTitan's later form of the digit sums: two-digit numbers, and a bonus for a clean ending; texts of our own. */
export const sumDigitsTitan = defineTask({
  name: 'sum_digits_titan',
  title: 'Sum digits, clean ending',
  summary: 'Add up all digits of two to four numbers between 10 and 99, and stop right behind the answer.',
  source: 'TorchTitan',
  family: 'digits',
  fields: {
    clean_bonus: real(
      'Bonus for a clean ending',
      'What a right answer earns on top of 1 if it has the [ANSWER] tag once and nothing behind its number.',
      0,
      2,
      0.2,
    ),
  },
  levels: [{}],
  draw(draw) {
    const count = uniformInt(draw, COUNT.low, COUNT.high);
    const numbers = Array.from({ length: count }, () => uniformInt(draw, NUMBER.low, NUMBER.high));
    return {
      question: digitSumQuestion(numbers),
      compact: `sum ${numbers.join(' ')}`,
      key: numbers.join(','),
      answer: `${digitSum(numbers)}`,
      data: { numbers },
    };
  },
  messages: ({ question }) => [
    { role: 'system', content: SYSTEM_PROMPT },
    { role: 'user', content: question },
  ],
  score: ({ answer }, { text }, { config }) => scoreCleanDigits(answer, text, config.clean_bonus),
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
