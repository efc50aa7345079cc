/** The tokens that entropy keeps, and the weight of a bonus, worked out by hand. */
import { describe, expect, test } from 'vitest';
import { quantile, withEntropyTerms } from './entropyTerms.ts';

const sequence = (length: number, masked = false) => ({
  promptIds: [1],
  tokens: Array.from({ length }, () => 2),
  samplerLogprobs: [],
  advantages: [],
  masked,
});

describe('quantile', () => {
  test.each<[values: readonly number[], q: number, expected: number]>([
    [[4, 1, 3, 2], 0, 1],
    [[4, 1, 3, 2], 1, 4],
    [[4, 1, 3, 2, 5], 0.5, 3],
    [[4, 1, 3, 2], 0.5, 2.5],
    [[0, 10], 0.25, 2.5],
    [[7], 0.8, 7],
  ])('%j at %d is %d', (values, q, expected) => expect(quantile(values, q)).toBe(expected));

  test('nothing has none', () => expect(quantile([], 0.5)).toBeNaN());
});

describe('tokens by entropy', () => {
  const kept = (share: number, entropies: readonly number[][], masked: readonly boolean[] = []) =>
    withEntropyTerms(
      entropies.map((row, i) => sequence(row.length, masked[i])),
      { topEntropyQuantile: share, entropyCoef: 0 },
      entropies,
    ).map((each) => each.kept);

  test('half of four are the two of the highest entropy, whichever answer they are in', () => {
    expect(kept(0.5, [[4, 1, 3], [2]])).toEqual([[1, 0, 1], [0]]);
  });

  test('a share of 0 keeps the highest alone', () => expect(kept(0, [[4, 1], [3]])).toEqual([[1, 0], [0]]));

  test('answers that are left out count in nothing', () => {
    expect(
      kept(
        0.5,
        [
          [9, 9],
          [1, 2],
        ],
        [true, false],
      ),
    ).toEqual([
      [0, 0],
      [0, 1],
    ]);
  });

  test('all are kept without a word at 1', () => expect(kept(1, [[1, 2]])).toEqual([undefined]));
});

test('a bonus weighs −c over the tokens that are kept', () => {
  const terms = { topEntropyQuantile: 0.5, entropyCoef: 0.3 };
  const entropies = [[4, 1, 3], [2]];
  const marked = withEntropyTerms([sequence(3), sequence(1)], terms, entropies);
  expect(marked.map(({ entropyWeights }) => entropyWeights)).toEqual([[-0.15, 0, -0.15], [0]]);
  const whole = withEntropyTerms([sequence(2), sequence(5, true)], { ...terms, topEntropyQuantile: 1 }, []);
  expect(whole.map(({ entropyWeights }) => entropyWeights)).toEqual([
    [-0.15, -0.15],
    [0, 0, 0, 0, 0],
  ]);
});
