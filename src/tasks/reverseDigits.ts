import { askedAfter, defineTask } from './define.ts';
import { demonstrate, taggedAnswer, REWARD_RULE_FIELD, scoreDigits } from './digitAnswer.ts';
import { uniformInt, type Draw } from '../base/random.ts';

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

function reversedDigits(number: number): string[] {
  return Array.from(`${number}`).reverse();
}

/** Another number: one digit of the true answer, at a uniform position, replaced by a uniform other one. */
function wrongDigit(answer: string, draw: Draw): string {
  const position = uniformInt(draw, 0, answer.length - 1);
  const digit = (Number(answer.charAt(position)) + uniformInt(draw, 1, 9)) % 10;
  return `${Number(answer.slice(0, position) + digit + answer.slice(position + 1))}`;
}

/** A number written backwards: the Monarch experiment's range and scoring, texts of our own. */
export const reverseDigits = defineTask({
  name: 'reverse_digits',
  title: 'Reverse digits',
  summary: 'Write a number of six or seven digits backwards; leading zeros vanish.',
  source: 'Monarch digit experiment',
  family: 'digits',
  fields: { reward_rule: REWARD_RULE_FIELD },
  levels: [{}],
  draw(draw) {
    const number = uniformInt(draw, NUMBER.low, NUMBER.high);
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
  score: ({ answer }, { text }, { config }) => scoreDigits(answer, text, config.reward_rule),
  workedAnswer: ({ data, answer }) => taggedAnswer(reversedDigits(data.number).join(' '), answer),
  demonstration: ({ data, answer }, draw) =>
    demonstrate(
      reversedDigits(data.number).join(' '),
      answer,
      (more) => wrongDigit(answer, more),
      { tagRate: TAG_RATE, wrongEndingRate: WRONG_ENDING_RATE },
      draw,
    ),
});
