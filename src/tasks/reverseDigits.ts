import { askedAfter, defineTask } from './define/define.ts';
import { whole } from './define/fields.ts';
import { demonstrate, REWARD_RULE_FIELD, scoreDigits, showsWorking, taggedAnswer } from './digitAnswer.ts';
import { STEP_WEIGHT_FIELD, withSteps } from './define/stepReward.ts';
import { uniformInt } from '@rl-playground/base/random';

const fields = {
  reward_rule: REWARD_RULE_FIELD,
  step_weight: STEP_WEIGHT_FIELD,
  min_digits: whole('Fewest digits', 'Digits of the shortest numbers.', 2, 15, 6),
  max_digits: whole('Most digits', 'Digits of the longest numbers.', 2, 15, 7),
};

const SYSTEM_PROMPT = `You solve small problems about numbers. Show your work one step after the other. Finish with a line that holds only the final number, written as [ANSWER] <number>.

Here is one problem with a good answer.
Problem: Write the number 5072 backwards.
Answer:
The digits of 5072 are 5, 0, 7, 2.
From last to first they are 2, 7, 0, 5.
[ANSWER] 2705`;

function reversedDigits(number: number): string[] {
  return Array.from(`${number}`).reverse();
}

/** The share of digits on a text's first line that are in their place; 0 if there are more than the number has. */
export function rightDigits(text: string, number: number): number {
  const truth = reversedDigits(number);
  const [line = ''] = text.split('\n', 1);
  const digits = line.split(' ');
  if (digits.length > truth.length) return 0;
  return digits.filter((digit, i) => digit === truth[i]).length / truth.length;
}

/** A number written backwards: the Monarch experiment's range and scoring, texts of our own. */
export const reverseDigits = defineTask({
  name: 'reverse_digits',
  title: 'Reverse digits',
  summary: 'Write a number backwards; leading zeros vanish.',
  source: 'Monarch digit experiment',
  family: 'digits',
  fields,
  levels: [4, 5, 6, 7, 8, 9, 10, 11].map((digits) => ({ min_digits: digits, max_digits: digits })),
  draw(draw, { min_digits, max_digits }) {
    const number = uniformInt(draw, 10 ** (min_digits - 1), 10 ** max_digits - 1);
    return {
      question: `Write the number ${number} backwards.`,
      compact: `reverse ${number}`,
      key: `${number}`,
      // Read as an integer: leading zeros vanish, as in 1200 → 21.
      answer: `${Number(reversedDigits(number).join(''))}`,
      data: { number },
    };
  },
  messages: askedAfter(SYSTEM_PROMPT),
  score: ({ answer, data }, { text }, { config: { reward_rule, step_weight } }) =>
    withSteps(scoreDigits(answer, text, reward_rule), step_weight, () => rightDigits(text, data.number)),
  working: ({ data }, text) => (showsWorking(text) ? rightDigits(text, data.number) : null),
  workedAnswer: ({ data, answer }) => taggedAnswer(reversedDigits(data.number).join(' '), answer),
  /** Zeros in front stay, as the steps have them: read as a number it is the same. */
  demonstration({ data }, draw) {
    const digits = reversedDigits(data.number);
    return demonstrate(digits.join(' '), digits.join(''), draw);
  },
});
