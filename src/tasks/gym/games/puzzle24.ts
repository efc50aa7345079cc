import { unless } from '@rl-playground/base/errors';
import { ValueError } from '../sympy/value.ts';
import { asInteger, evaluate } from '../sympy/expression.ts';
import { defineGymTask, whole, type ConfigOf } from '../shared/define.ts';
import * as puzzle from './numberPuzzle.ts';
import { TooLargeError } from '../sympy/rational.ts';
import { isRare } from '../shared/attempts.ts';
import { stripSpace } from '../../python/text.ts';
import { type Draw } from '@rl-playground/base/random';

const fields = {
  operators: puzzle.OPERATORS_FIELD,
  min_value: whole('Smallest number', 'Smallest number given.', 1, 10, 1),
  max_value: whole('Largest number', 'Largest number given.', 1, 10, 10),
};
type Config = ConfigOf<typeof fields>;

const TARGET = 24;
const COUNT = 4;
const MOST_ATTEMPTS = 20_000;
/** Settings must lead to a puzzle in a twentieth of that, several times over; then drawing one fails about once in e^20. */
const TRIALS = MOST_ATTEMPTS / 20;
/** Upstream's score of anything but a solution. */
const FLOOR = 0.01;
/** Upstream's default bounds, which its scorer holds the numbers of an answer against. */
const [LEAST, MOST] = [1n, 10n];

const FORMAT = `Write the answer as one arithmetic expression:
1. no equals sign,
2. without the target itself,
3. * for multiplication,
4. / for division.`;

function find(
  draw: Draw,
  { min_value, max_value, operators }: Config,
  attempts: number,
): puzzle.Chain | null {
  const range = { count: COUNT, low: min_value, high: max_value, operators };
  return puzzle.findChain(draw, range, (value) => value === TARGET, attempts);
}

/** Four numbers within bounds, whichever, and a value that is 24 once its fraction is cut off. */
function upstreamScore(candidate: string): number {
  return unless([ValueError, TooLargeError], FLOOR, () => {
    if (asInteger(evaluate(candidate)) !== BigInt(TARGET)) return FLOOR;
    const used = puzzle.numbersIn(candidate);
    const inBounds = used.every((text) => text.length <= 2 && BigInt(text) >= LEAST && BigInt(text) <= MOST);
    return used.length === COUNT && inBounds ? 1 : FLOOR;
  });
}

/** Distinct sets of four numbers with a solution from left to right in whole numbers. */
function countPuzzles({ min_value, max_value, operators }: Config): number {
  const found = new Set<string>();
  const extend = (numbers: readonly number[], value: number): void => {
    if (numbers.length === COUNT) {
      if (value === TARGET) found.add(numbers.toSorted((a, b) => a - b).join());
      return;
    }
    for (let next = min_value; next <= max_value; next++)
      for (const operator of operators)
        if (operator !== '/' || value % next === 0)
          extend([...numbers, next], puzzle.apply(operator, value, next));
  };
  for (let first = min_value; first <= max_value; first++) extend([first], first);
  return found.size;
}

export const puzzle24 = defineGymTask({
  name: 'puzzle24',
  title: 'Game of 24',
  summary: 'Join four numbers to an expression that gives 24.',
  family: 'games',
  fields,
  levels: [
    { operators: ['+'] },
    { operators: ['+', '-'] },
    { operators: ['+', '-', '*'] },
    {},
    { min_value: 3 },
  ],
  metadata: (z) => ({ numbers: z.array(z.number()) }),
  space: countPuzzles,
  checkConfig(config) {
    const { min_value, max_value } = config;
    return isRare((draw) => find(draw, config, TRIALS))
      ? `operators: none of ${TRIALS} expressions of numbers from ${min_value} to ${max_value} gave ${TARGET}; allow more operators or numbers.`
      : null;
  },
  draw(draw, config) {
    const chain = find(draw, config, MOST_ATTEMPTS);
    if (chain === null)
      throw new Error(
        `puzzle24: none of ${MOST_ATTEMPTS} expressions gave ${TARGET}; allow more operators or numbers.`,
      );
    const numbers = [...chain.numbers];
    return {
      question: `Reach ${TARGET} with the numbers ${numbers.join(', ')}, each of them used once. Allowed operators: ${config.operators.join(', ')}.\n${FORMAT}`,
      compact: `puzzle24 ${numbers.join(' ')}`,
      key: numbers.toSorted((a, b) => a - b).join(),
      answer: puzzle.chainText(chain),
      data: { numbers },
    };
  },
  scoreOfNothing: FLOOR,
  scoreAnswer(candidate, { metadata: { numbers } }, mode) {
    if (mode === 'upstream') return upstreamScore(stripSpace(candidate));
    const value = puzzle.plainValue(stripSpace(candidate), numbers);
    return value !== null && value.p === BigInt(TARGET) && value.q === 1n ? 1 : 0;
  },
  steps: ({ answer }) => puzzle.chainSteps(puzzle.readChain(answer)),
});
