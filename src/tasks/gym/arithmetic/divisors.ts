/** Greatest common divisors and least common multiples of drawn numbers. */
import { uniformInt } from '@rl-playground/base/random';
import { defineGymTask, whole, type ConfigOf } from '../shared/define.ts';
import { multisets, sumOver } from '../../define/wholeNumbers.ts';

/** Upstream draws again this often while the numbers have nothing in common, then takes what comes. */
const ATTEMPTS = 3;

export function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}

const commonMultiple = (a: number, b: number): number => (a / commonDivisor(a, b)) * b;
const productOf = (numbers: readonly number[]): number => numbers.reduce((a, b) => a * b, 1);

function numbersFields(largest: number, limit: number, most: number) {
  return {
    min_numbers: whole('Fewest numbers', 'Fewest numbers in a problem.', 2, most, 2),
    max_numbers: whole('Most numbers', 'Most numbers in a problem.', 2, most, 2),
    min_value: whole('Smallest number', 'No number is smaller.', 1, limit, 1),
    max_value: whole('Largest number', 'No number is larger.', 2, limit, largest),
  };
}
type Fields = ReturnType<typeof numbersFields>;

/**
 * Euclid's algorithm with one division a line, such as `84 36: 84-72=12`, where 72 is the largest multiple of 36 that fits. The last line
 * leaves 0; the second number before its colon is the divisor.
 */
function euclidLines(a: number, b: number): string[] {
  let [more, less] = a < b ? [b, a] : [a, b];
  const lines: string[] = [];
  while (less > 0) {
    const rest = more % less;
    lines.push(`${more} ${less}: ${more}-${more - rest}=${rest}`);
    [more, less] = [less, rest];
  }
  return lines;
}

interface Divisors {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  /** The result's name in the question. */
  readonly asked: string;
  readonly short: string;
  readonly fields: Fields;
  readonly levels: readonly Partial<ConfigOf<Fields>>[];
  readonly combine: (a: number, b: number) => number;
  /** Says whether numbers have a common factor. */
  readonly related: (numbers: readonly number[]) => boolean;
  /** The lines that combine the result so far with the next number. */
  readonly lines: (result: number, next: number) => string[];
}

function divisorsTask({ asked, short, combine, ...task }: Divisors) {
  return defineGymTask({
    ...task,
    family: 'arithmetic',
    space: ({ min_numbers, max_numbers, min_value, max_value }) =>
      sumOver(min_numbers, max_numbers, (size) => multisets(max_value - min_value + 1, size)),
    /** The numbers preferably have a factor in common; in about a quarter of all cases of two they have none. */
    draw(draw, { min_numbers, max_numbers, min_value, max_value }) {
      const drawNumbers = () =>
        Array.from({ length: uniformInt(draw, min_numbers, max_numbers) }, () =>
          uniformInt(draw, min_value, max_value),
        );
      let numbers = drawNumbers();
      for (let attempt = 1; attempt < ATTEMPTS && !task.related(numbers); attempt++) numbers = drawNumbers();
      return {
        question: `What is the ${asked} (${short}) of these numbers: ${numbers.join(', ')}? Answer with the ${short} alone.`,
        compact: `${task.name} ${numbers.join(' ')}`,
        key: numbers.toSorted((a, b) => a - b).join(','),
        answer: `${numbers.reduce(combine)}`,
        data: { numbers },
      };
    },
    steps({ data: { numbers } }) {
      const [first = 1, ...others] = numbers;
      let result = first;
      return others
        .flatMap((number) => {
          const lines = task.lines(result, number);
          result = combine(result, number);
          return lines;
        })
        .join('\n');
    },
  });
}

export const gcd = divisorsTask({
  name: 'gcd',
  title: 'Greatest common divisor',
  summary: 'Find the largest number that divides two or more numbers.',
  asked: 'greatest common divisor',
  short: 'GCD',
  fields: numbersFields(1000, 1_000_000, 8),
  levels: [
    { max_value: 30 },
    { max_value: 100 },
    { max_value: 300 },
    {},
    { max_numbers: 3, max_value: 10_000 },
    { min_numbers: 3, max_numbers: 5, max_value: 100_000 },
  ],
  combine: commonDivisor,
  related: (numbers) => numbers.reduce(commonDivisor) > 1,
  lines: euclidLines,
});

export const lcm = divisorsTask({
  name: 'lcm',
  title: 'Least common multiple',
  summary: 'Find the smallest number that two or more numbers divide.',
  asked: 'least common multiple',
  short: 'LCM',
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
  combine: commonMultiple,
  related: (numbers) => numbers.reduce(commonMultiple) < productOf(numbers),
  lines(multiple, number) {
    const divisor = commonDivisor(multiple, number);
    const [part, product] = [number / divisor, commonMultiple(multiple, number)];
    return [...euclidLines(multiple, number), `${number}/${divisor}=${part} ${multiple}*${part}=${product}`];
  },
});
