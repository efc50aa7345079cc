import { defineTask } from './define/define.ts';
import { whole } from './define/fields.ts';
import { addColumns } from './gym/shared/columnSteps.ts';
import { endingFault, FORMAT_FIELDS } from './math/cookbookReward.ts';
import { lastInteger } from './python/text.ts';
import { judged, withFault } from './define/reason.ts';
import { uniformInt } from '@rl-playground/base/random';
import type { DrawnProblem } from './define/types.ts';

interface Data {
  readonly x: number;
  readonly y: number;
}

/** The last integer of a text without its commas, canonical and of any length, or null. */
export function lastWithoutCommas(text: string): string | null {
  return lastInteger(text.replaceAll(',', ''));
}

/** The sum worked out column by column from the right with the carry, as in `7 + 5 = 12`, `4 + 8 + 1 = 13`, and then the answer. */
const worked = ({ x, y }: Data, ending: string): string =>
  [...addColumns(BigInt(x), BigInt(y), ' '), ending].join('\n');

/** The Tinker cookbook's addition: two numbers from 0 to 100, the last integer counts; texts of our own. */
export const arithmetic = defineTask({
  name: 'tinker_arithmetic',
  title: 'Addition',
  summary: 'Add two whole numbers from 0 to 100.',
  source: 'Tinker cookbook',
  family: 'arithmetic',
  fields: {
    max_number: whole('Largest number', 'Both numbers are from 0 to this.', 9, 99_999, 100),
    ...FORMAT_FIELDS,
  },
  levels: [{ max_number: 9 }, { max_number: 30 }, { max_number: 60 }, {}, { max_number: 999 }],
  space: ({ max_number }) => (max_number + 1) ** 2,
  draw(draw, { max_number }): DrawnProblem<Data> {
    const [x, y] = [uniformInt(draw, 0, max_number), uniformInt(draw, 0, max_number)];
    return {
      question: `How much is ${x} plus ${y}?`,
      compact: `tinker_arithmetic ${x} + ${y}`,
      key: `${x}+${y}`,
      answer: `${x + y}`,
      data: { x, y },
    };
  },
  messages: ({ question }) => [
    { role: 'user', content: 'How much is 6 plus 2?' },
    { role: 'assistant', content: '8' },
    { role: 'user', content: question },
  ],
  score({ answer }, { text, stopReason }, { config }) {
    const extracted = lastWithoutCommas(text);
    const correct = extracted === answer;
    const fault = endingFault(stopReason, config);
    const format = fault === null;
    const parts = { correct: correct ? 1 : 0, format: format ? 0 : -config.format_weight };
    const reason = withFault(judged({ correct, read: extracted, truth: answer, wanted: 'number' }), fault);
    return { total: parts.correct + parts.format, parts, correct, format, reason, extracted };
  },
  workedAnswer: ({ data, answer }) => worked(data, answer),
  demonstration: ({ data, answer }) => worked(data, answer),
});
