import { uniformInt } from '@rl-playground/base/random';
import { defineGymTask, whole } from '../shared/define.ts';

const ones = (number: number): number => number.toString(2).replaceAll('0', '').length;

export const countBits = defineGymTask({
  name: 'count_bits',
  title: 'Count bits',
  summary: 'Count the ones in the binary form of a number.',
  family: 'arithmetic',
  fields: {
    min_n: whole('Smallest number', 'No number is smaller.', 1, 2 ** 40, 1),
    max_n: whole('Largest number', 'No number is larger.', 1, 2 ** 40, 2 ** 31 - 1),
  },
  levels: [
    { max_n: 63 },
    { max_n: 1000 },
    { max_n: 10_000 },
    { max_n: 1_000_000 },
    {},
    { min_n: 2 ** 31, max_n: 2 ** 40 },
  ],
  space: ({ min_n, max_n }) => max_n - min_n + 1,
  draw(draw, { min_n, max_n }) {
    const number = uniformInt(draw, min_n, max_n);
    return {
      question: `Write the number ${number} in binary. How many of its bits are 1?`,
      compact: `count_bits ${number}`,
      answer: `${ones(number)}`,
      key: `${number}`,
      data: { number },
    };
  },
  /** `37 1, 18 1, 9 2, 4 2, 2 2, 1 3`: halves, each with how many were odd so far. */
  steps({ data: { number } }) {
    const steps: string[] = [];
    let odd = 0;
    for (let rest = number; rest > 0; rest = Math.floor(rest / 2)) {
      odd += rest % 2;
      steps.push(`${rest} ${odd}`);
    }
    return steps.join(', ');
  },
});
