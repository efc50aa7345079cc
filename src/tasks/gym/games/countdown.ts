import { unless } from '@rl-playground/base/errors';
import * as z from 'zod';
import { ValueError } from '../sympy/value.ts';
import { asFloat, evaluate } from '../sympy/expression.ts';
import { defineGymTask, flag, whole, type ConfigOf, type MetadataOf } from '../shared/define.ts';
import * as puzzle from './numberPuzzle.ts';
import { TooLargeError, type Rational } from '../sympy/rational.ts';
import { isRare } from '../shared/attempts.ts';
import { sampledSpace } from '../shared/space.ts';
import { stripSpace } from '../../python/text.ts';
import { pick, shuffled, uniformInt, type Draw } from '@rl-playground/base/random';
import type { ScoringMode } from '../../define/types.ts';

const fields = {
  min_numbers: whole('Fewest numbers', 'Fewest numbers given.', 2, 12, 4),
  max_numbers: whole('Most numbers', 'Most numbers given.', 2, 12, 6),
  min_value: whole('Smallest number', 'Smallest number given.', 1, 1000, 1),
  max_value: whole('Largest number', 'Largest number given.', 1, 1000, 100),
  min_target: whole('Smallest target', 'Smallest value to reach.', 1, 100_000, 100),
  max_target: whole('Largest target', 'Largest value to reach.', 1, 100_000, 999),
  operators: puzzle.OPERATORS_FIELD,
  shuffle: flag('Shuffled', 'Whether the numbers are shown in another order than the solution uses.', true),
};
type Config = ConfigOf<typeof fields>;

const metadata = () => ({
  numbers: z.array(z.number()),
  target: z.number(),
  expression: z.string().optional(),
});
type Metadata = MetadataOf<typeof metadata>;

const MOST_ATTEMPTS = 5000;
/** Settings must lead to a puzzle in a twentieth of that, several times over; then drawing one fails about once in e^20. */
const TRIALS = MOST_ATTEMPTS / 20;
/** Sums of at most so many numbers are short enough to try all signs. */
const FEW_NUMBERS = 3;
/** The scores of an answer that can be read but is wrong, and of one that cannot be read. */
const [READABLE, FLOOR] = [0.05, 0.01];

const FORMAT = `Write the answer as one arithmetic expression:
1. no equals sign,
2. without the target itself,
3. * for multiplication,
4. / for division,
5. no other words or marks.`;

const QUESTIONS: readonly ((numbers: string, target: number) => string)[] = [
  (numbers, target) =>
    `Make an expression equal to ${target} with all of the numbers ${numbers}.\nEach number is used exactly once.`,
  (numbers, target) =>
    `All of these numbers together are to give ${target}: ${numbers}.\nEach is used once. How?`,
  (numbers, target) =>
    `Reach ${target} by calculating with all of ${numbers}.\nNo number is used a second time.`,
];

function find(draw: Draw, config: Config, attempts: number): puzzle.Chain | null {
  const { min_numbers, max_numbers, min_value, max_value, min_target, max_target, operators } = config;
  const count = uniformInt(draw, min_numbers, max_numbers);
  const isTarget = (value: number) => value >= min_target && value <= max_target;
  return puzzle.findChain(draw, { count, low: min_value, high: max_value, operators }, isTarget, attempts);
}

const keyOf = (numbers: readonly number[], target: number): string =>
  `${numbers.toSorted((a, b) => a - b).join()}=${target}`;

const onlySums = ({ operators }: puzzle.Chain): boolean =>
  operators.every((sign) => sign === '+' || sign === '-');

/** All choices of plus and minus between the numbers, in the order `++`, `+-`, `-+`, `--`. */
function signChoices(count: number): puzzle.Operator[][] {
  return Array.from({ length: 2 ** count }, (_, choice) =>
    Array.from({ length: count }, (_, i) => ((choice >> (count - 1 - i)) & 1 ? '-' : '+')),
  );
}

/** The form of a short sum that trying all signs in order finds first. */
function firstForm(chain: puzzle.Chain): puzzle.Chain {
  const { numbers } = chain;
  if (numbers.length > FEW_NUMBERS || !onlySums(chain)) return chain;
  const target = puzzle.chainValue(chain);
  const operators = signChoices(numbers.length - 1).find(
    (signs) => puzzle.chainValue({ numbers, operators: signs }) === target,
  );
  return { numbers, operators: operators ?? chain.operators };
}

/** All signs in order until the wanted ones: each sum of the first two numbers, then the result with the third. */
function trials({ numbers, operators: wanted }: puzzle.Chain): string {
  const lines: string[] = [];
  for (const operators of signChoices(wanted.length)) {
    const steps = puzzle.chainSteps({ numbers, operators }).split('\n');
    lines.push(...steps.filter((step) => !lines.includes(step)));
    if (operators.join() === wanted.join()) break;
  }
  return lines.join('\n');
}

function upstreamScore(candidate: string, { numbers, target }: Metadata): number {
  const value = unless([TooLargeError], NaN, () =>
    unless([ValueError], null, () => asFloat(evaluate(candidate))),
  );
  if (value === null) return FLOOR;
  if (!puzzle.sameNumbers(puzzle.numbersIn(candidate), numbers)) return READABLE;
  return Math.abs(value - target) <= 1e-6 + 1e-5 * Math.abs(target) ? 1 : READABLE;
}

const equals = ({ p, q }: Rational, target: number): boolean => q === 1n && p === BigInt(target);

function score(candidate: string, data: Metadata, mode: ScoringMode): number {
  const answer = stripSpace(candidate);
  if (mode === 'upstream') return answer === '' ? FLOOR : upstreamScore(answer, data);
  const value = puzzle.plainValue(answer, data.numbers);
  return value === null ? 0 : Number.isInteger(data.target) && equals(value, data.target) ? 1 : READABLE;
}

export const countdown = defineGymTask({
  name: 'countdown',
  title: 'Countdown',
  summary: 'Join all given numbers to an expression that gives the target.',
  family: 'games',
  fields,
  levels: [
    {
      min_numbers: 2,
      max_numbers: 3,
      max_value: 20,
      min_target: 1,
      max_target: 60,
      operators: ['+', '-'],
      shuffle: false,
    },
    { min_numbers: 3, max_numbers: 3, max_value: 20, min_target: 1, max_target: 100 },
    { min_numbers: 3, max_numbers: 4, max_value: 50, min_target: 10, max_target: 300 },
    {},
    { min_numbers: 5, max_numbers: 8, max_value: 200, min_target: 500, max_target: 5000 },
  ],
  metadata,
  checkConfig(config) {
    const { min_numbers, max_numbers, min_target, max_target } = config;
    const counts = Array.from({ length: max_numbers - min_numbers + 1 }, (_, i) => min_numbers + i);
    const hopeless = counts.find((count) =>
      isRare((draw) => find(draw, { ...config, min_numbers: count, max_numbers: count }, TRIALS)),
    );
    return hopeless === undefined
      ? null
      : `min_target: none of ${TRIALS} expressions of ${hopeless} numbers gave ${min_target} to ${max_target}; widen the targets or the numbers.`;
  },
  space(config) {
    if (config.max_numbers > 3) return null;
    return sampledSpace(`countdown ${JSON.stringify(config)}`, (draw) => {
      const chain = find(draw, config, 1);
      return chain && keyOf(chain.numbers, puzzle.chainValue(chain));
    });
  },
  draw(draw, config) {
    const found = find(draw, config, MOST_ATTEMPTS);
    if (found === null)
      throw new Error(
        `countdown: none of ${MOST_ATTEMPTS} expressions gave a target from ${config.min_target} to ${config.max_target}; widen the targets or the numbers.`,
      );
    const chain = config.shuffle ? found : firstForm(found);
    const numbers = config.shuffle ? shuffled(draw, chain.numbers) : [...chain.numbers];
    const target = puzzle.chainValue(chain);
    const expression = puzzle.chainText(chain);
    const question = pick(draw, QUESTIONS)(numbers.join(', '), target);
    return {
      question: `${question}\n\n${FORMAT}`,
      compact: `countdown ${numbers.join(' ')} = ${target}`,
      key: keyOf(numbers, target),
      answer: expression,
      data: { numbers, target, expression },
    };
  },
  scoreOfNothing: FLOOR,
  scoreAnswer: (candidate, entry, mode) => score(candidate, entry.metadata, mode),
  steps({ answer }) {
    const chain = puzzle.readChain(answer);
    return chain.numbers.length <= FEW_NUMBERS && onlySums(chain) ? trials(chain) : puzzle.chainSteps(chain);
  },
});
