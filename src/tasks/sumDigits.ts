/** Sums of digits: the Monarch experiment's ranges and scoring, and TorchTitan's later form of them; texts of our own. */
import { uniformInt } from '@rl-playground/base/random';
import { askedAfter, defineTask } from './define/define.ts';
import {
  ANSWER_TAG,
  demonstrate,
  extractDigits,
  numberVerdict,
  REWARD_RULE_FIELD,
  scoreDigits,
  showsWorking,
  taggedAnswer,
} from './digitAnswer.ts';
import { real, whole, type ConfigOf } from './define/fields.ts';
import { readInteger, skipSpace } from './python/text.ts';
import { withFault } from './define/reason.ts';
import { STEP_WEIGHT_FIELD, withSteps } from './define/stepReward.ts';
import type { Reward } from './define/types.ts';

const LEAST_NUMBER = 10;

/** The usual sums have two to four numbers; bounds are inclusive. */
const COUNT_FIELDS = {
  min_numbers: whole('Fewest numbers', 'Numbers of the shortest sums.', 2, 12, 2),
  max_numbers: whole('Most numbers', 'Numbers of the longest sums.', 2, 12, 4),
};

function digitsOf(numbers: readonly number[]): number[] {
  return Array.from(numbers.join(''), Number);
}

/** The sum of all digits of the numbers. */
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

type CountFields = typeof COUNT_FIELDS;

const LEVELS: readonly Partial<ConfigOf<CountFields>>[] = [2, 3, 4, 5, 6, 7, 8].map((count) => ({
  min_numbers: count,
  max_numbers: count,
}));

/**
 * The share of right running sums on a text's first line. Each takes the next digit and follows from the sum before it, so a slip costs one
 * step. 0 if there are more steps than digits.
 */
export function rightSums(text: string, numbers: readonly number[]): number {
  const digits = digitsOf(numbers);
  const [line = ''] = text.split('\n', 1);
  const steps = line.split(' + ');
  if (steps.length > digits.length) return 0;
  let before = 0;
  const right = steps.filter((step, i) => {
    const [digit = '', sum = digit] = step.split(' = ');
    const follows = digit === `${digits[i]}` && sum === `${before + Number(digit)}`;
    before = Number(sum);
    return follows;
  });
  return right.length / digits.length;
}

interface DigitSums<Fields extends CountFields> {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly source: string;
  readonly fields: Fields;
  /** The largest number. */
  readonly largest: number;
  readonly system: string;
  readonly score: (
    truth: string,
    text: string,
    config: ConfigOf<Fields>,
    numbers: readonly number[],
  ) => Reward;
}

function digitSumTask<Fields extends CountFields>({ largest, system, score, ...task }: DigitSums<Fields>) {
  return defineTask({
    ...task,
    family: 'digits',
    levels: LEVELS as readonly Partial<ConfigOf<Fields>>[],
    draw(draw, { min_numbers, max_numbers }) {
      const count = uniformInt(draw, min_numbers, max_numbers);
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
    score: ({ answer, data }, { text }, { config }) => score(answer, text, config, data.numbers),
    working: ({ data }, text) => (showsWorking(text) ? rightSums(text, data.numbers) : null),
    workedAnswer: ({ data, answer }) => taggedAnswer(runningSums(data.numbers), answer),
    demonstration: ({ data, answer }, draw) => demonstrate(runningSums(data.numbers), answer, draw),
  });
}

export const sumDigits = digitSumTask({
  name: 'sum_digits',
  title: 'Sum digits',
  summary: 'Add up all digits of a few numbers between 10 and 999.',
  source: 'Monarch digit experiment',
  fields: { reward_rule: REWARD_RULE_FIELD, step_weight: STEP_WEIGHT_FIELD, ...COUNT_FIELDS },
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
  score: (truth, text, { reward_rule, step_weight }, numbers) =>
    withSteps(scoreDigits(truth, text, reward_rule), step_weight, () => rightSums(text, numbers)),
});

/** The error of a text that does not end in exactly one tag and a number, or null. */
export function endingFault(text: string): string | null {
  const tag = text.indexOf(ANSWER_TAG);
  const behind = tag + ANSWER_TAG.length;
  if (tag < 0) return `no ${ANSWER_TAG}`;
  if (text.includes(ANSWER_TAG, behind)) return `more than one ${ANSWER_TAG}`;
  const number = readInteger(text, skipSpace(text, behind));
  if (number === null) return `no number after ${ANSWER_TAG}`;
  return skipSpace(text, number.end) === text.length ? null : 'text after the number';
}

/** ±1 for the right number, found as in the Monarch experiment, and `bonus` for a right one whose text ends in the one tag. */
export function scoreCleanDigits(truth: string, text: string, bonus: number): Reward {
  const answer = extractDigits(text);
  const { value, matchedBy } = answer;
  const correct = value === truth;
  const fault = endingFault(text);
  const format = fault === null;
  const parts = { correct: correct ? 1 : -1, clean: correct && format ? bonus : 0 };
  const reason = withFault(numberVerdict(answer, truth), fault);
  return { total: parts.correct + parts.clean, parts, correct, format, reason, extracted: value, matchedBy };
}

/** Sums of two-digit numbers, with a bonus for a clean ending. */
export const sumDigitsTitan = digitSumTask({
  name: 'sum_digits_titan',
  title: 'Sum digits, clean ending',
  summary: 'Add up all digits of a few numbers between 10 and 99, and stop right after the answer.',
  source: 'TorchTitan',
  fields: {
    step_weight: STEP_WEIGHT_FIELD,
    ...COUNT_FIELDS,
    clean_bonus: real(
      'Bonus for a clean ending',
      'What a right answer earns on top of 1 if it has the [ANSWER] tag once and nothing after its number.',
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
  score: (truth, text, { clean_bonus, step_weight }, numbers) =>
    withSteps(scoreCleanDigits(truth, text, clean_bonus), step_weight, () => rightSums(text, numbers)),
});
