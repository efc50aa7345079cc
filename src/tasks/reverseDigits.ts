import { demonstrate, taggedAnswer } from './demonstration.ts';
import { uniformInt } from './random.ts';
import { scoreCompletion } from './score.ts';
import { drawProblem } from './split.ts';
import type { ChatMessage, Problem, PromptStyle, Task } from './types.ts';

/** Share of demonstrations with the tag, and share with a wrong last number. */
export const TAG_RATE = 0.5;
export const WRONG_ENDING_RATE = 0.6;

/** Six or seven digits; bounds inclusive. */
const NUMBER = { low: 100_000, high: 9_999_999 } as const;

const SYSTEM_PROMPT = `You solve small problems about numbers. Show your work one step after the other. Finish with a line that holds only the final number, written as [ANSWER] <number>.

Here is one problem with a good answer.
Problem: Write the number 5072 backwards.
Answer:
The digits of 5072 are 5, 0, 7, 2.
From last to first they are 2, 7, 0, 5.
[ANSWER] 2705`;

function reversedDigits(numbers: readonly number[]): string[] {
  return Array.from(numbers.join('')).reverse();
}

/** The reversed digits read as an integer: leading zeros vanish, as in 1200 → 21. */
function reversedNumber(numbers: readonly number[]): string {
  return `${Number(reversedDigits(numbers).join(''))}`;
}

function messages(problem: Problem, style: PromptStyle): ChatMessage[] {
  const number = problem.numbers.join('');
  if (style === 'compact') return [{ role: 'user', content: `reverse ${number}` }];
  return [
    { role: 'system', content: SYSTEM_PROMPT },
    { role: 'user', content: `Write the number ${number} backwards.` },
  ];
}

/** Another number: one digit of the true answer, at a uniform position, replaced by a uniform other one. */
function wrongDigit(answer: string, draw: () => number): string {
  const position = uniformInt(draw, 0, answer.length - 1);
  const digit = (Number(answer.charAt(position)) + uniformInt(draw, 1, 9)) % 10;
  return `${Number(answer.slice(0, position) + digit + answer.slice(position + 1))}`;
}

/** A number written backwards: the Monarch experiment's range and scoring, texts of our own. */
export const reverseDigits: Task = {
  name: 'reverse_digits',
  title: 'Reverse digits',
  summary: 'Write a number of six or seven digits backwards; leading zeros vanish.',
  generate: (seed, split, index) =>
    drawProblem(
      'reverse_digits',
      { seed, split, index },
      (draw) => [uniformInt(draw, NUMBER.low, NUMBER.high)],
      reversedNumber,
    ),
  messages,
  score: scoreCompletion,
  workedAnswer: ({ numbers, answer }) => taggedAnswer(reversedDigits(numbers).join(' '), answer),
  demonstration: (problem, draw) =>
    demonstrate(
      reversedDigits(problem.numbers).join(' '),
      problem.answer,
      (more) => wrongDigit(problem.answer, more),
      { tagRate: TAG_RATE, wrongEndingRate: WRONG_ENDING_RATE },
      draw,
    ),
};
