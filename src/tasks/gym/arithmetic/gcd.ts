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

/** The greatest common divisor of a few numbers. */
export const gcd = defineGymTask({
  name: 'gcd',
  title: 'Greatest common divisor',
  summary: 'Find the largest number that divides two or more numbers.',
  family: 'arithmetic',
  fields: numbersFields(1000, 1_000_000),
  levels: [
    { max_value: 30 },
    { max_value: 100 },
    { max_value: 300 },
    {},
    { max_numbers: 3, max_value: 10_000 },
    { min_numbers: 3, max_numbers: 5, max_value: 100_000 },
  ],
  metadata: z.looseObject({ numbers: z.array(z.number()).optional() }),
  checkConfig: numbersError,
  space: numbersSpace,
  draw(draw, config) {
    const numbers = drawNumbers(draw, config, (drawn) => drawn.reduce(commonDivisor) > 1);
    return {
      question: `What is the greatest common divisor (GCD) of these numbers: ${numbers.join(', ')}? Answer with the GCD alone.`,
      compact: `gcd ${numbers.join(' ')}`,
      key: keyOf(numbers),
      answer: `${numbers.reduce(commonDivisor)}`,
      data: { numbers },
    };
  },
  steps({ metadata: { numbers = [] } }) {
    const [first = 0, ...others] = numbers;
    let divisor = first;
    return others
      .flatMap((number) => {
        const lines = euclidLines(divisor, number);
        divisor = commonDivisor(divisor, number);
        return lines;
      })
      .join('\n');
  },
  wrongAnswer({ answer }, draw) {
    const truth = Number(answer);
    return `${pick(
      draw,
      [truth * 2, truth * 3, truth + 1, Math.floor(truth / 2), 1].filter((n) => n > 0 && n !== truth),
    )}`;
  },
});
