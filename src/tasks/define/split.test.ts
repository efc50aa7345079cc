import { describe, expect, it } from 'vitest';
import { taskByName } from '../allTasks.ts';
import { drawProblem, EVAL_SHARE, splitOf } from './split.ts';
import type { Problem, Split } from './types.ts';

/** The digit tasks have millions of problems; gym/problems.test.ts looks at the others. */
const NAMES = ['sum_digits', 'reverse_digits'];

const numbersOf = ({ data }: Problem): string => JSON.stringify(data);

describe.each(NAMES)('%s problems', (name) => {
  const task = taskByName(name);
  const generate = (seed: number, split: Split, index: number) =>
    task.generate(seed, split, index, task.defaults);
  const stream = (seed: number, split: Split, count: number) =>
    Array.from({ length: count }, (_, index) => generate(seed, split, index));

  it('never share a problem between training and evaluation, at any pair of seeds', () => {
    const seeds = [0, 1, 42, 123_456_789, 2 ** 40];
    const keys = (split: Split) => new Set(seeds.flatMap((seed) => stream(seed, split, 2000).map(numbersOf)));
    const train = keys('train');
    const evaluation = keys('eval');
    expect([...evaluation].filter((key) => train.has(key))).toEqual([]);
    expect(evaluation.size).toBeGreaterThan(1000);
  });

  it('depend on seed, split and index, and on nothing else', () => {
    const forwards = stream(5, 'train', 50);
    const backwards = Array.from({ length: 50 }, (_, back) => generate(5, 'train', 49 - back)).reverse();
    expect(backwards).toEqual(forwards);
    expect(stream(6, 'train', 50)).not.toEqual(forwards);
    expect(new Set(forwards.map(numbersOf)).size).toBeGreaterThan(45);
  });

  it('carry the split, index and task they were asked for', () => {
    const problem = generate(1, 'eval', 17);
    expect(problem).toMatchObject({ task: name, split: 'eval', index: 17 });
    expect(splitOf(name, Object.values(problem.data as object).join(','))).toBe('eval');
  });
});

describe('splitOf', () => {
  it('holds out the stated share of all problems', () => {
    let held = 0;
    const count = 50_000;
    for (let number = 100_000; number < 100_000 + count; number++) {
      if (splitOf('reverse_digits', `${number}`) === 'eval') held++;
    }
    expect(Math.abs(held / count - EVAL_SHARE)).toBeLessThan(0.006);
  });

  it('tells tasks and orders apart', () => {
    const pairs = Array.from({ length: 200 }, (_, k): [number, number] => [10 + k, 300 + k]);
    const sides = (order: (pair: [number, number]) => number[]) =>
      pairs.map((pair) => splitOf('sum_digits', order(pair).join(',')));
    expect(sides(([a, b]) => [a, b])).not.toEqual(sides(([a, b]) => [b, a]));
    expect(sides(([a, b]) => [a, b])).not.toEqual(
      pairs.map((pair) => splitOf('reverse_digits', pair.join(','))),
    );
  });
});

describe('drawProblem', () => {
  it('says so where no problem is on the wanted side', () => {
    const only = { question: 'the only one', answer: '1', data: null };
    const side = splitOf('narrow', only.question);
    const [other, words] =
      side === 'eval' ? (['train', 'training'] as const) : (['eval', 'evaluation'] as const);
    expect(drawProblem('narrow', { seed: 0, split: side, index: 0 }, () => only)).toMatchObject(only);
    expect(() => drawProblem('narrow', { seed: 0, split: other, index: 0 }, () => only)).toThrow(
      `none of 2000 problems drawn with these settings is one for ${words}; at least one is needed. Widen`,
    );
  });
});
