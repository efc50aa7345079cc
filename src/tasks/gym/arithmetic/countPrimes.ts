import { uniformInt } from '@rl-playground/base/random';
import { defineGymTask, whole } from '../shared/define.ts';

/** The sieve of Eratosthenes: 1 for each number up to `end` that is crossed out. */
function sieve(end: number): Uint8Array {
  const composite = new Uint8Array(end + 1).fill(1, 0, 2);
  for (let prime = 2; prime * prime <= end; prime++) {
    if (composite[prime] === 1) continue;
    for (let multiple = prime * prime; multiple <= end; multiple += prime) composite[multiple] = 1;
  }
  return composite;
}

function countPrimesBetween(start: number, end: number): number {
  return sieve(end)
    .subarray(start)
    .reduce((count, crossed) => count + 1 - crossed, 0);
}

export const countPrimes = defineGymTask({
  name: 'count_primes',
  title: 'Count primes',
  summary: 'Count the prime numbers between two numbers.',
  family: 'arithmetic',
  fields: {
    min_n: whole('Smallest number', 'No interval starts below.', 1, 100_000, 1),
    max_n: whole('Largest number', 'No interval ends above.', 1, 100_000, 10_000),
  },
  levels: [{ max_n: 30 }, { max_n: 100 }, { max_n: 1000 }, {}, { max_n: 100_000 }],
  space({ min_n, max_n }) {
    const numbers = max_n - min_n + 1;
    return (numbers * (numbers + 1)) / 2;
  },
  draw(draw, { min_n, max_n }) {
    const start = uniformInt(draw, min_n, max_n);
    const end = uniformInt(draw, start, max_n);
    return {
      question: `How many prime numbers are there from ${start} to ${end}, both included?`,
      compact: `count_primes ${start} ${end}`,
      key: `${start} ${end}`,
      answer: `${countPrimesBetween(start, end)}`,
      data: { start, end },
    };
  },
});
