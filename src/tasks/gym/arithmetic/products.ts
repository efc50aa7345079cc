import { magnitude } from '../../wholeNumbers.ts';
import * as z from 'zod';
import { flag, whole } from '../../fields.ts';
import { uniformInt } from '../../../base/random.ts';
import { productLine, sumLine } from '../shared/columnSteps.ts';
import { decimalScore } from '../shared/scoring.ts';
import { defineGymTask } from '../shared/define.ts';
import { nearbyNumber } from '../shared/mistakes.ts';
import { multisets } from '../../wholeNumbers.ts';
import { smallSpace } from '../shared/space.ts';

const factorsOf = (expression: string): bigint[] => expression.split(' * ').map((factor) => BigInt(factor));

/** The smallest and largest factor of so many digits. */
function factorRange(digits: number, negative: boolean): { low: number; high: number } {
  const high = 10 ** digits - 1;
  return { low: negative ? -high : digits === 1 ? 0 : 10 ** (digits - 1), high };
}

/** The lines that multiply two amounts, digit by digit of the second: `47 * 8: …` for the units, then one line a digit and its sum. */
function productLines(a: bigint, b: bigint): string[] {
  const lines: string[] = [];
  let sum = 0n;
  for (const [place, digit] of Array.from(`${b}`, BigInt).toReversed().entries()) {
    if (digit === 0n) continue;
    lines.push(productLine(a, digit));
    const part = a * digit * 10n ** BigInt(place);
    if (sum !== 0n) lines.push(sumLine(part, sum));
    sum += part;
  }
  return lines;
}

export const products = defineGymTask({
  name: 'products',
  title: 'Products',
  summary: 'Multiply two or more whole numbers.',
  family: 'arithmetic',
  fields: {
    min_terms: whole('Fewest factors', 'Fewest numbers in a product.', 1, 12, 2),
    max_terms: whole('Most factors', 'Most numbers in a product.', 1, 12, 2),
    min_digits: whole('Fewest digits', 'Digits of the shortest numbers.', 1, 12, 1),
    max_digits: whole('Most digits', 'Digits of the longest numbers.', 1, 12, 5),
    allow_negation: flag('Negative numbers', 'Whether factors may be negative.', false),
  },
  levels: [
    { max_digits: 1, allow_negation: true },
    { max_digits: 2 },
    { max_digits: 3 },
    {},
    { max_terms: 4, max_digits: 7 },
    { max_terms: 12, max_digits: 10 },
  ],
  metadata: z.looseObject({ expression: z.string().optional() }),
  ordered: [
    ['min_terms', 'max_terms'],
    ['min_digits', 'max_digits'],
  ],
  space({ min_terms, max_terms, max_digits, allow_negation }) {
    const { low, high } = factorRange(max_digits, allow_negation);
    const first = max_digits === 1 || allow_negation ? low : 0;
    let count = 0;
    for (let size = min_terms; size <= max_terms; size++) count += multisets(high - first + 1, size);
    return smallSpace(count);
  },
  draw(draw, config) {
    const count = uniformInt(draw, config.min_terms, config.max_terms);
    const { low, high } = factorRange(
      uniformInt(draw, config.min_digits, config.max_digits),
      config.allow_negation,
    );
    const factors = Array.from({ length: count }, () => uniformInt(draw, low, high));
    const expression = factors.join(' * ');
    return {
      question: `Multiply these numbers and answer with the product alone: ${expression}`,
      compact: `products ${expression}`,
      key: factors.toSorted((a, b) => a - b).join(','),
      answer: `${factors.reduce((product, factor) => product * BigInt(factor), 1n)}`,
      data: { expression },
    };
  },
  scoreAnswer: (candidate, { answer }, mode) => decimalScore(candidate, answer, mode),
  steps({ metadata: { expression = '1' } }) {
    const [first = 1n, ...others] = factorsOf(expression);
    let product = first;
    return others
      .flatMap((factor) => {
        const lines = productLines(magnitude(product), magnitude(factor));
        product *= factor;
        // Zeros at the end and the sign are in none of the lines.
        if (lines.at(-1)?.endsWith(` ${product}`) !== true) lines.push(`so ${product}`);
        return lines;
      })
      .join('\n');
  },
  wrongAnswer: nearbyNumber,
});
