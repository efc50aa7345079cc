import { pick, shuffled, uniformInt, type Draw } from '@rl-playground/base/random';
import { defineGymTask, whole } from '../shared/define.ts';
import { textScore } from '../shared/scoring.ts';

/** The numbers of the first four statements: at least a true, at most b false, exactly c true, exactly d false. */
type Numbers = readonly [a: number, b: number, c: number, d: number];

const STATEMENTS = 7;
const PRIMES: ReadonlySet<number> = new Set([2, 3, 5, 7]);
const COMPOSITES: ReadonlySet<number> = new Set([4, 6]);

const range = (low: number, high: number): number[] =>
  Array.from({ length: Math.max(0, high - low + 1) }, (_, i) => low + i);

/** The statements' truth if `count` are true; the fifth is about the claims of the third and fourth. */
function claims([a, b, c, d]: Numbers, count: number): boolean[] {
  const lies = STATEMENTS - count;
  const [third, fourth] = [count === c, lies === d];
  return [count >= a, lies <= b, third, fourth, third !== fourth, PRIMES.has(count), COMPOSITES.has(lies)];
}

/** Number of ways to call the statements true or false without contradiction: one at most for each number of true ones. */
function countSolutions(numbers: Numbers): number {
  return range(0, STATEMENTS).filter((count) => claims(numbers, count).filter(Boolean).length === count)
    .length;
}

/**
 * Selects values by difficulty. At 5 all stay; each step below drops a tenth of those nearest to the truth, each step above a tenth of the
 * farthest.
 */
function atDifficulty(values: readonly number[], truth: number, difficulty: number): number[] {
  const near = values.toSorted((x, y) => Math.abs(x - truth) - Math.abs(y - truth));
  const left = Math.ceil((near.length * (10 - Math.abs(difficulty - 5))) / 10);
  return difficulty < 5 ? near.slice(-left) : near.slice(0, left);
}

/** The values of each of the four numbers, when `count` statements are to be true and these four as `meant`. */
function choices(count: number, meant: readonly boolean[], difficulty: number): number[][] {
  const lies = STATEMENTS - count;
  const [first, second, third, fourth] = meant;
  const other = (truth: number) => range(0, STATEMENTS).filter((value) => value !== truth);
  return [
    atDifficulty(first === true ? range(1, count) : range(count + 1, STATEMENTS), count, difficulty),
    atDifficulty(second === true ? range(lies, STATEMENTS) : range(0, lies - 1), lies, difficulty),
    third === true ? [count] : atDifficulty(other(count), count, difficulty),
    fourth === true ? [lies] : atDifficulty(other(lies), lies, difficulty),
  ];
}

/** The number of true ones among the first five if `count` of all seven are true, or null if that cannot be. */
function trueOfFive(count: number): number | null {
  const forced = (PRIMES.has(count) ? 1 : 0) + (COMPOSITES.has(STATEMENTS - count) ? 1 : 0);
  return count - forced > 5 ? null : count - forced;
}

/** Upstream's fallback: the first four statements are true. */
const FALLBACK = { count: 4, meant: [true, true, true, true] } as const;

function drawNumbers(draw: Draw, difficulty: number): number[] {
  const count = uniformInt(draw, 1, STATEMENTS - 1);
  const truths = trueOfFive(count);
  const order = shuffled(draw, range(0, 4));
  const plan =
    truths === null ? FALLBACK : { count, meant: range(0, 3).map((i) => order.indexOf(i) < truths) };
  return choices(plan.count, plan.meant, difficulty).map((values) => pick(draw, values));
}

/** The number of different puzzles that can be drawn. */
function countPuzzles(difficulty: number): number {
  const seen = new Set<string>();
  const collect = (count: number, meant: readonly boolean[]) => {
    const [as = [], bs = [], cs = [], ds = []] = choices(count, meant, difficulty);
    for (const a of as)
      for (const b of bs) for (const c of cs) for (const d of ds) seen.add(`${a} ${b} ${c} ${d}`);
  };
  collect(FALLBACK.count, FALLBACK.meant);
  for (const count of range(1, STATEMENTS - 1)) {
    const truths = trueOfFive(count);
    for (const pattern of range(0, 31)) {
      const meant = range(0, 4).map((i) => ((pattern >> i) & 1) === 1);
      if (meant.filter(Boolean).length === truths) collect(count, meant);
    }
  }
  return seen.size;
}

export const selfReference = defineGymTask({
  name: 'self_reference',
  title: 'Self-referring statements',
  summary: 'Count the consistent ways in which seven statements about themselves can be true or false.',
  family: 'logic',
  fields: {
    difficulty: whole(
      'Difficulty',
      'Below 5 the numbers in the statements keep away from the truth, above 5 they stay close to it; at 5 they are any.',
      1,
      10,
      5,
    ),
  },
  levels: [{ difficulty: 1 }, { difficulty: 3 }, {}, { difficulty: 8 }, { difficulty: 10 }],
  space: ({ difficulty }) => countPuzzles(difficulty),
  draw(draw, { difficulty }) {
    const [a = 0, b = 0, c = 0, d = 0] = drawNumbers(draw, difficulty);
    const statements = [
      `At least ${a} of these 7 statements are true.`,
      `At most ${b} of these 7 statements are false.`,
      `Exactly ${c} of these 7 statements are true.`,
      `Exactly ${d} of these 7 statements are false.`,
      'Exactly one of statements 3 and 4 is true.',
      'The number of true statements is prime.',
      'The number of false statements is composite.',
    ];
    return {
      question: `Each of these statements is true or false:\n${statements.map((text, i) => `${i + 1}. ${text}`).join('\n')}\n\nIn how many ways can they be called true or false so that every statement called true is true and every one called false is false? Answer with the number only.`,
      key: `${a} ${b} ${c} ${d}`,
      answer: `${countSolutions([a, b, c, d])}`,
      data: { numbers: [a, b, c, d] },
    };
  },
  scoreAnswer: (candidate, { answer }, mode) =>
    mode === 'strict' ? textScore(candidate, answer, mode) : Number(candidate === answer),
});
