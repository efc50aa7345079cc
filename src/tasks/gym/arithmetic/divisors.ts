/** Greatest common divisors and least common multiples of drawn numbers. */
import { whole } from '../../fields.ts';
import { uniformInt } from '../../../base/random.ts';
import { multisets, outOfOrder, smallSpace } from '../shared/settings.ts';

export interface NumbersConfig extends Record<string, number> {
  readonly min_numbers: number;
  readonly max_numbers: number;
  readonly min_value: number;
  readonly max_value: number;
}

/** Upstream draws again this often while the numbers have nothing in common, then takes what comes. */
const ATTEMPTS = 3;

export function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}

export function numbersFields(largest: number, limit: number, most = 8) {
  return {
    min_numbers: whole('Fewest numbers', 'Fewest numbers in a problem.', 2, most, 2),
    max_numbers: whole('Most numbers', 'Most numbers in a problem.', 2, most, 2),
    min_value: whole('Smallest number', 'No number is smaller.', 1, limit, 1),
    max_value: whole('Largest number', 'No number is larger.', 2, limit, largest),
  };
}

export function numbersError(config: NumbersConfig): string | null {
  return outOfOrder(config, [
    ['min_numbers', 'max_numbers'],
    ['min_value', 'max_value'],
  ]);
}

export function numbersSpace({
  min_numbers,
  max_numbers,
  min_value,
  max_value,
}: NumbersConfig): number | null {
  let count = 0;
  for (let size = min_numbers; size <= max_numbers; size++)
    count += multisets(max_value - min_value + 1, size);
  return smallSpace(count);
}

/** Numbers that preferably have a factor in common; without one in about a quarter of all cases of two. */
export function drawNumbers(
  draw: () => number,
  config: NumbersConfig,
  related: (numbers: number[]) => boolean,
) {
  for (let attempt = 1; ; attempt++) {
    const count = uniformInt(draw, config.min_numbers, config.max_numbers);
    const numbers = Array.from({ length: count }, () => uniformInt(draw, config.min_value, config.max_value));
    if (attempt === ATTEMPTS || related(numbers)) return numbers;
  }
}

/** The same for the same numbers in any order. */
export const keyOf = (numbers: readonly number[]): string => numbers.toSorted((a, b) => a - b).join(',');

/**
 * Euclid's algorithm, one division a line: `84 36: 84-72=12`, where 72 is the largest multiple of 36 that fits. The last line leaves 0,
 * and the second number before its colon is the divisor.
 */
export function euclidLines(a: number, b: number): string[] {
  let [more, less] = a < b ? [b, a] : [a, b];
  const lines: string[] = [];
  while (less > 0) {
    const rest = more % less;
    lines.push(`${more} ${less}: ${more}-${more - rest}=${rest}`);
    [more, less] = [less, rest];
  }
  return lines;
}
