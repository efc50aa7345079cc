import { magnitude } from '../../define/wholeNumbers.ts';
import { pythonInt } from '@rl-playground/base/pythonNumbers';
import { stripSpace } from '../../python/text.ts';
import { uniformInt } from '@rl-playground/base/random';
import { defineGymTask, whole } from '../shared/define.ts';

/** The prime factors in ascending order. */
function primeFactors(number: number): number[] {
  const factors: number[] = [];
  let rest = number;
  for (let prime = 2; prime * prime <= rest; prime++) {
    for (; rest % prime === 0; rest /= prime) factors.push(prime);
  }
  return rest > 1 ? [...factors, rest] : factors;
}

const sorted = (factors: readonly bigint[]): string =>
  factors.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)).join(' ');

/** The numbers between the signs ×; nothing between two of them is passed over. Throws where one is no number, as upstream does. */
function readFactors(text: string): bigint[] {
  return text
    .split('×')
    .map(stripSpace)
    .filter((piece) => piece !== '')
    .map((piece) => {
      const factor = pythonInt(piece);
      if (factor === null)
        throw new Error(
          `ValueError: "${piece.slice(0, 40)}" is no whole number; factors must be separated by ×.`,
        );
      return factor;
    });
}

/** Says whether the factors multiply to `product`, without multiplying far beyond it. */
function multiplyTo(product: bigint, factors: readonly bigint[]): boolean {
  if (factors.includes(0n)) return product === 0n;
  const bound = magnitude(product);
  let reached = 1n;
  for (const factor of factors) {
    reached *= factor;
    if (magnitude(reached) > bound) return false;
  }
  return reached === product;
}

function upstreamScore(candidate: string, answer: string): number {
  const truth = readFactors(answer);
  const given = readFactors(candidate);
  if (given.length === truth.length && sorted(given) === sorted(truth)) return 1;
  const product = truth.reduce((reached, factor) => reached * factor, 1n);
  return multiplyTo(product, given) ? 0.5 : 0.01;
}

/** The prime factors in any order, with one × between each two. */
function strictScore(candidate: string, answer: string): number {
  const text = stripSpace(candidate);
  if (text.length > 1000 || !/^[0-9]{1,20}(?:[ \t\r\n]*×[ \t\r\n]*[0-9]{1,20})*$/.test(text)) return 0;
  return sorted(readFactors(text)) === sorted(readFactors(answer)) ? 1 : 0;
}

export const primeFactorization = defineGymTask({
  name: 'prime_factorization',
  title: 'Prime factorization',
  summary: 'Write a number as a product of primes.',
  family: 'arithmetic',
  fields: {
    min_value: whole('Smallest number', 'No number is smaller.', 2, 1_000_000_000, 2),
    max_value: whole('Largest number', 'No number is larger.', 2, 1_000_000_000, 1000),
  },
  levels: [{ max_value: 50 }, { max_value: 250 }, {}, { max_value: 10_000 }, { max_value: 50_000 }],
  space: ({ min_value, max_value }) => max_value - min_value + 1,
  draw(draw, { min_value, max_value }) {
    const number = uniformInt(draw, min_value, max_value);
    const factors = primeFactors(number);
    return {
      question: `Write ${number} as a product of prime numbers, with × between them. (For 12 that is 2 × 2 × 3.)`,
      compact: `prime_factorization ${number}`,
      key: `${number}`,
      answer: factors.join(' × '),
      data: { number, factors },
    };
  },
  scoreAnswer: (candidate, { answer }, mode) =>
    mode === 'upstream' ? upstreamScore(candidate, answer) : strictScore(candidate, answer),
  /** `420: 2 210, 2 105, 3 35, 5 7`: a prime factor and what it leaves, until that is a prime. */
  steps({ data: { number, factors } }) {
    let rest = number;
    const steps = factors.slice(0, -1).map((factor) => {
      rest /= factor;
      return `${factor} ${rest}`;
    });
    return steps.length === 0 ? `${number} is prime` : `${number}: ${steps.join(', ')}`;
  },
});
