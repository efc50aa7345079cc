/** Sums of numbers of one digit, asked and answered in words: a small instruct model can do some of them. */
import { uniformInt } from '@rl-playground/base/random';
import { defineTask } from '../define/define.ts';
import { whole } from '../define/fields.ts';
import { judged } from '../define/reason.ts';
import { multisets } from '../define/wholeNumbers.ts';
import { lastInteger } from '../python/text.ts';

const UP_TO_19 =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');

/** A number below 100 in words. */
export function numberWords(value: number): string {
  const small = UP_TO_19[value];
  if (small !== undefined) return small;
  const ten = TENS[Math.floor(value / 10) - 2] ?? '';
  return value % 10 === 0 ? ten : `${ten}-${UP_TO_19[value % 10]}`;
}

const VALUES = new Map(Array.from({ length: 100 }, (_, value) => [numberWords(value), value]));
const IN_WORDS = new RegExp(
  `\\b(?:(?:${TENS.join('|')})(?:[- ](?:${UP_TO_19.slice(1, 10).join('|')}))?|${UP_TO_19.join('|')})\\b`,
  'gi',
);

/** The last whole number of a text, in digits or in English words below a hundred; null if there is none. */
export function lastNumber(text: string): string | null {
  return lastInteger(
    text.replaceAll(IN_WORDS, (words) => `${VALUES.get(words.toLowerCase().replace(' ', '-')) ?? words}`),
  );
}

export const singleDigitSums = defineTask({
  name: 'single_digit_sums',
  title: 'Single-digit sums',
  summary: 'Add two numbers from zero to nine; the question and the answer are in words.',
  source: 'RL Playground',
  family: 'instruct',
  fields: {
    numbers: whole('Numbers', 'How many numbers are added.', 2, 4, 2),
    max_number: whole('Largest number', 'The numbers are from zero to this.', 4, 9, 9),
  },
  levels: [{ max_number: 5 }, {}, { numbers: 3 }, { numbers: 4 }],
  space: ({ numbers, max_number }) => multisets(numbers, max_number + 1),
  draw(draw, { numbers, max_number }) {
    const terms = Array.from({ length: numbers }, () => uniformInt(draw, 0, max_number));
    const sum = terms.map(numberWords).join(' plus ');
    return {
      question: `What is ${sum}? Answer with one number.`,
      // The same numbers in another order are the same problem, so that none is held out that is trained on.
      key: terms.toSorted((a, b) => a - b).join('+'),
      answer: `${terms.reduce((all, term) => all + term, 0)}`,
      data: { sum },
    };
  },
  messages: ({ question }) => [{ role: 'user', content: question }],
  score({ answer }, { text }) {
    const extracted = lastNumber(text);
    const correct = extracted === answer;
    const reason = judged({
      correct,
      read: extracted,
      truth: answer,
      place: 'as the last number',
      wanted: 'number',
    });
    const parts = { correct: Number(correct) };
    return { total: parts.correct, parts, correct, format: extracted !== null, reason, extracted };
  },
  workedAnswer: ({ data, answer }) => worked(data.sum, answer),
  demonstration: ({ data, answer }) => worked(data.sum, answer),
});

function worked(sum: string, answer: string): string {
  return `${sum.charAt(0).toUpperCase()}${sum.slice(1)} is ${numberWords(Number(answer))}.`;
}
