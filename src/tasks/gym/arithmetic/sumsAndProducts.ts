/** Sums and products of whole numbers with so many digits, worked out in columns. */
import { pick, uniformInt } from '@rl-playground/base/random';
import { magnitude, multisets, sumOver } from '../../define/wholeNumbers.ts';
import { productLine, sumLine } from '../shared/columnSteps.ts';
import { defineGymTask, flag, whole } from '../shared/define.ts';
import { decimalScore } from '../shared/scoring.ts';

/** `most` is the default of the most digits. */
const digitFields = (most: number) => ({
  min_digits: whole('Fewest digits', 'Digits of the shortest numbers.', 1, 12, 1),
  max_digits: whole('Most digits', 'Digits of the longest numbers.', 1, 12, most),
});
/** `12 + 7 - 5` → [12, 7, −5]. */
function signedTerms(expression: string): number[] {
  const [first = '0', ...rest] = expression.split(' ');
  const terms = [Number(first)];
  for (let i = 0; i + 1 < rest.length; i += 2) terms.push(Number(rest[i + 1]) * (rest[i] === '-' ? -1 : 1));
  return terms;
}

/** The numbers there are with so many digits, both ends included. */
function termRange(digits: number, signed: boolean): [low: number, high: number] {
  const high = 10 ** digits - 1;
  return [signed ? -high : digits === 1 ? 0 : 10 ** (digits - 1), high];
}

export const chainSum = defineGymTask({
  name: 'chain_sum',
  title: 'Chain sum',
  summary: 'Add and subtract a few whole numbers from left to right.',
  family: 'arithmetic',
  fields: {
    min_terms: whole('Fewest terms', 'Fewest numbers in the sum.', 2, 20, 2),
    max_terms: whole('Most terms', 'Most numbers in the sum.', 2, 20, 6),
    ...digitFields(4),
    allow_negation: flag('Negative numbers', 'Whether terms may be negative.', false),
  },
  levels: [2, 3, 4, 5, 6].map((terms) => ({ min_terms: terms, max_terms: terms })),
  space({ min_terms, max_terms, min_digits, max_digits, allow_negation }) {
    // Ranges of either sign hold the shorter numbers too.
    const fewest = allow_negation ? max_digits : min_digits;
    return sumOver(min_terms, max_terms, (terms) =>
      sumOver(fewest, max_digits, (digits) => {
        const [low, high] = termRange(digits, allow_negation);
        return 2 ** (terms - 1) * (high - low + 1) ** terms;
      }),
    );
  },
  draw(draw, config) {
    const count = uniformInt(draw, config.min_terms, config.max_terms);
    const digits = uniformInt(draw, config.min_digits, config.max_digits);
    const [low, high] = termRange(digits, config.allow_negation);
    const terms = Array.from({ length: count }, () => uniformInt(draw, low, high));
    const expression = terms
      .map((term, i) => (i === 0 ? `${term}` : `${pick(draw, ['+', '-'])} ${term}`))
      .join(' ');
    return {
      question: `Work out this sum and give the final number: ${expression} =`,
      compact: `chain_sum ${expression}`,
      key: expression,
      answer: `${signedTerms(expression).reduce((sum, term) => sum + term, 0)}`,
      data: { expression },
    };
  },
  scoreAnswer: (candidate, { answer }, mode) => decimalScore(candidate, answer, mode),
  steps({ data: { expression } }) {
    const [first = 0, ...rest] = signedTerms(expression);
    let sum = first;
    return rest
      .map((term) => {
        const line = sumLine(BigInt(sum), BigInt(term));
        sum += term;
        return line;
      })
      .join('\n');
  },
});

const factorsOf = (expression: string): bigint[] => expression.split(' * ').map((factor) => BigInt(factor));

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
    ...digitFields(5),
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
  space({ min_terms, max_terms, max_digits, allow_negation }) {
    const [low, high] = termRange(max_digits, allow_negation);
    const first = max_digits === 1 || allow_negation ? low : 0;
    return sumOver(min_terms, max_terms, (size) => multisets(high - first + 1, size));
  },
  draw(draw, config) {
    const count = uniformInt(draw, config.min_terms, config.max_terms);
    const digits = uniformInt(draw, config.min_digits, config.max_digits);
    const [low, high] = termRange(digits, config.allow_negation);
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
  steps({ data: { expression } }) {
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
});
