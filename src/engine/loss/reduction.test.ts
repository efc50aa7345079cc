import { describe, expect, test } from 'vitest';
import { drawsFor } from '@rl-playground/base/random';
import { LOSS_NAMES } from './losses.ts';
import { reductionOf, tokenWeights, weightsOfWhole, type Reducible } from './reduction.ts';
import { REDUCTIONS, type Reduction } from './lossRows.ts';

const completion = (length: number, masked = false): Reducible => ({ tokens: { length }, masked });

/** w of each sequence's tokens where the update is cut into `parts`. */
function weightsOfParts(
  parts: readonly (readonly Reducible[])[],
  reduction: Reduction,
  maxTokens: number,
): number[][] {
  const weights = tokenWeights(reduction, maxTokens);
  return parts.map((part, k) =>
    part.map((sequence) => weights.numerator(sequence) / weights.denominator(parts, k)),
  );
}

const whole = (sequences: readonly Reducible[], reduction: Reduction, maxTokens = 8): number[] =>
  sequences.map((_, i) => weightsOfWhole(sequences, reduction, maxTokens)(i));

/** Rounds away the last bits. */
const rounded = (weights: readonly number[]): number[] => weights.map((weight) => +weight.toPrecision(12));

describe('by hand, completions of 2, 3, 1 and 4 tokens with at most 8', () => {
  const sequences = [2, 3, 1, 4].map((length) => completion(length));

  test.each<[Reduction, number[]]>([
    ['sum', [1, 1, 1, 1]],
    ['sequence_sum', [1 / 4, 1 / 4, 1 / 4, 1 / 4]],
    ['sequence_mean', [1 / 8, 1 / 12, 1 / 4, 1 / 16]],
    ['token_mean', [0.1, 0.1, 0.1, 0.1]],
    ['minibatch_token_mean', [0.1, 0.1, 0.1, 0.1]],
    ['max_length', [1 / 32, 1 / 32, 1 / 32, 1 / 32]],
  ])('%s', (reduction, expected) => expect(rounded(whole(sequences, reduction))).toEqual(rounded(expected)));
});

describe('by hand, with the completion of 4 tokens left out', () => {
  const sequences = [completion(2), completion(3), completion(1), completion(4, true)];

  test.each<[Reduction, number[]]>([
    ['sum', [1, 1, 1, 0]],
    // It counts among the sequences, as in TRL,
    ['sequence_sum', [1 / 4, 1 / 4, 1 / 4, 0]],
    ['sequence_mean', [1 / 8, 1 / 12, 1 / 4, 0]],
    ['max_length', [1 / 32, 1 / 32, 1 / 32, 0]],
    // and not among the tokens.
    ['token_mean', [1 / 6, 1 / 6, 1 / 6, 0]],
    ['minibatch_token_mean', [1 / 6, 1 / 6, 1 / 6, 0]],
  ])('%s', (reduction, expected) => expect(rounded(whole(sequences, reduction))).toEqual(rounded(expected)));

  test.each(REDUCTIONS)('%s: where all are left out every weight is 0, not NaN', (reduction) => {
    expect(whole([completion(4, true), completion(2, true)], reduction)).toEqual([0, 0]);
  });
});

describe('by hand, two mini-batches of one update: [2, 3] and [1, 4 left out, 5]', () => {
  const parts = [
    [completion(2), completion(3)],
    [completion(1), completion(4, true), completion(5)],
  ];

  test.each<[Reduction, number[][]]>([
    [
      'sum',
      [
        [1, 1],
        [1, 0, 1],
      ],
    ],
    [
      'sequence_sum',
      [
        [0.2, 0.2],
        [0.2, 0, 0.2],
      ],
    ],
    [
      'sequence_mean',
      [
        [1 / 10, 1 / 15],
        [1 / 5, 0, 1 / 25],
      ],
    ],
    [
      'token_mean',
      [
        [1 / 11, 1 / 11],
        [1 / 11, 0, 1 / 11],
      ],
    ],
    // Each mini-batch divides by its own 5 or 6 tokens, and the mean is over the two.
    [
      'minibatch_token_mean',
      [
        [1 / 10, 1 / 10],
        [1 / 12, 0, 1 / 12],
      ],
    ],
    [
      'max_length',
      [
        [1 / 40, 1 / 40],
        [1 / 40, 0, 1 / 40],
      ],
    ],
  ])('%s', (reduction, expected) =>
    expect(rounded(weightsOfParts(parts, reduction, 8).flat())).toEqual(rounded(expected.flat())),
  );

  test('a mini-batch whose sequences are all left out still counts as a mini-batch under BNPO', () => {
    const found = weightsOfParts([[completion(2)], [completion(3, true)]], 'minibatch_token_mean', 8);
    expect(found).toEqual([[1 / 4], [0]]);
  });
});

describe('gradient accumulation', () => {
  /** Random sequences in mini-batches of random sizes. */
  function randomParts(seed: number): Reducible[][] {
    const draw = drawsFor(seed);
    return Array.from({ length: 4 }, () =>
      Array.from({ length: 1 + Math.floor(6 * draw()) }, () =>
        completion(1 + Math.floor(30 * draw()), draw() < 0.2),
      ),
    );
  }

  test.each([1, 2, 3])('over parts is the whole at once, for all but BNPO (%i)', (seed) => {
    const parts = randomParts(seed);
    for (const reduction of REDUCTIONS.filter((name) => name !== 'minibatch_token_mean'))
      expect(rounded(weightsOfParts(parts, reduction, 32).flat())).toEqual(
        rounded(whole(parts.flat(), reduction, 32)),
      );
  });

  test.each([1, 2, 3])('under BNPO the loss is the mean of the mini-batches’ token means (%i)', (seed) => {
    const parts = randomParts(seed);
    const draw = drawsFor(seed, 1);
    // The sum of ℓ over the tokens of each sequence.
    const losses = parts.map((part) => part.map(({ tokens }) => tokens.length * (2 * draw() - 1)));
    const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
    const means = parts.map((part, k) => {
      const counted = part.map(({ masked }) => masked !== true);
      const tokens = sum(part.map(({ tokens: own }, i) => (counted[i] ? own.length : 0)));
      return sum((losses[k] ?? []).filter((_, i) => counted[i])) / Math.max(1, tokens);
    });
    const weights = weightsOfParts(parts, 'minibatch_token_mean', 32);
    const found = sum(
      weights.flatMap((part, k) => part.map((weight, i) => weight * (losses[k]?.[i] ?? NaN))),
    );
    expect(found).toBeCloseTo(sum(means) / means.length, 12);
    const atOnce = whole(parts.flat(), 'minibatch_token_mean');
    expect(sum(atOnce.map((weight, i) => weight * (losses.flat()[i] ?? NaN)))).not.toBeCloseTo(found, 3);
  });

  test('BNPO’s token weighs more in a mini-batch of short answers, where DAPO weighs all alike', () => {
    const parts = [[completion(2)], [completion(8)]];
    expect(weightsOfParts(parts, 'minibatch_token_mean', 8)).toEqual([[1 / 4], [1 / 16]]);
    expect(weightsOfParts(parts, 'token_mean', 8)).toEqual([[1 / 10], [1 / 10]]);
  });
});

test('by the batch: updates of 2 and 6 tokens both divide by 4, or alone by their own', () => {
  const [short, long] = [completion(2), completion(6)];
  const weights = tokenWeights('batch_token_mean', 8, 4);
  for (const sequence of [short, long])
    expect(weights.numerator(sequence) / weights.denominator([[sequence]], 0)).toBe(1 / 4);
  expect(weightsOfWhole([short, long], 'batch_token_mean', 8)(0)).toBe(1 / 8);
});

describe('reductionOf', () => {
  test('gives each loss what its own system does', () => {
    expect(Object.fromEntries(LOSS_NAMES.map((loss) => [loss, reductionOf(loss, 'auto')]))).toEqual({
      reinforce: 'sequence_mean',
      importance_sampling: 'sum',
      ppo: 'sum',
      cispo: 'sum',
      dro: 'sum',
      grpo: 'sequence_mean',
      bnpo: 'minibatch_token_mean',
      dr_grpo: 'max_length',
      dapo: 'batch_token_mean',
      luspo: 'sequence_sum',
      sapo: 'sequence_mean',
      vespo: 'batch_token_mean',
    });
  });

  test('CISPO with one cap is TRL’s, which takes the mean over tokens as DAPO does', () => {
    expect(reductionOf('cispo', 'auto', 'epsilon')).toBe('batch_token_mean');
    expect(reductionOf('cispo', 'auto', 'ratio_bounds')).toBe('sum');
    for (const loss of LOSS_NAMES.filter((name) => name !== 'cispo'))
      expect(reductionOf(loss, 'auto', 'epsilon')).toBe(reductionOf(loss, 'auto'));
  });

  test('an explicit choice goes before it', () => {
    for (const loss of LOSS_NAMES)
      for (const reduction of REDUCTIONS) expect(reductionOf(loss, reduction, 'epsilon')).toBe(reduction);
  });
});

test('an index that is no sequence weighs nothing', () => {
  expect(weightsOfWhole([completion(3)], 'sum', 8)(1)).toBe(0);
});
