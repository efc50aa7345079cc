import * as z from 'zod';
import { pick } from '../../../base/random.ts';
import { defineGymTask } from '../shared/define.ts';
import {
  commonDivisor,
  drawNumbers,
  euclidLines,
  keyOf,
  numbersError,
  numbersFields,
  numbersSpace,
} from './divisors.ts';

const commonMultiple = (a: number, b: number): number => (a / commonDivisor(a, b)) * b;

/** The least common multiple of a few numbers. */
export const lcm = defineGymTask({
  name: 'lcm',
  title: 'Least common multiple',
  summary: 'Find the smallest number that two or more numbers divide.',
  family: 'arithmetic',
  // The product of the most and largest numbers stays below 2^53.
  fields: numbersFields(100, 1000, 5),
  levels: [
    { max_value: 12 },
    { max_value: 30 },
    { max_value: 60 },
    {},
    { max_numbers: 3, max_value: 300 },
    { max_numbers: 4, max_value: 1000 },
  ],
  metadata: z.looseObject({ numbers: z.array(z.number()).optional() }),
  checkConfig: numbersError,
  space: numbersSpace,
  draw(draw, config) {
    const numbers = drawNumbers(
      draw,
      config,
      (drawn) => drawn.reduce(commonMultiple) < drawn.reduce((product, number) => product * number),
    );
    return {
      question: `What is the least common multiple (LCM) of these numbers: ${numbers.join(', ')}? Answer with the LCM alone.`,
      compact: `lcm ${numbers.join(' ')}`,
      key: keyOf(numbers),
      answer: `${numbers.reduce(commonMultiple)}`,
      data: { numbers },
    };
  },
  steps({ metadata: { numbers = [] } }) {
    const [first = 1, ...others] = numbers;
    let multiple = first;
    return others
      .flatMap((number) => {
        const divisor = commonDivisor(multiple, number);
        const lines = euclidLines(multiple, number);
        const [part, product] = [number / divisor, commonMultiple(multiple, number)];
        lines.push(`${number}/${divisor}=${part} ${multiple}*${part}=${product}`);
        multiple = product;
        return lines;
      })
      .join('\n');
  },
  wrongAnswer({ answer, metadata: { numbers = [] } }, draw) {
    const truth = Number(answer);
    const others = [truth * 2, truth + (numbers[0] ?? 1), truth + 10, numbers.reduce((a, b) => a * b, 1)];
    return `${pick(
      draw,
      others.filter((other) => other !== truth),
    )}`;
  },
});
