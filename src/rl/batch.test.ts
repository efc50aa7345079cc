import { describe, expect, test } from 'vitest';
import { packMicrobatches, type Sequence } from './batch.ts';

function sequence(promptIds: number[], tokens: number[], advantage = 0): Sequence {
  return { promptIds, tokens, samplerLogprobs: tokens.map((token) => -token / 100), advantage };
}

/** Sequences of many lengths, each token unlike any other's. */
const MANY = Array.from({ length: 11 }, (_, i) =>
  sequence(
    Array.from({ length: 1 + ((i * 5) % 13) }, (_unused, t) => 1000 * (i + 1) + t),
    Array.from({ length: 1 + ((i * 7) % 17) }, (_unused, t) => 1000 * (i + 1) + 500 + t),
    i,
  ),
);

describe('packMicrobatches', () => {
  test('shifts targets by one: the position of the last prompt token predicts the first response token', () => {
    const [batch, ...rest] = packMicrobatches([sequence([10, 11, 12], [20, 21], 3)], 'token_mean', 100);
    expect(rest).toEqual([]);
    expect(batch).toEqual({
      batch: 1,
      length: 8,
      ids: Int32Array.of(10, 11, 12, 20, 0, 0, 0, 0),
      targets: Int32Array.of(11, 12, 20, 21, 0, 0, 0, 0),
      weights: Float32Array.of(0, 0, 0.5, 0.5, 0, 0, 0, 0),
      samplerLogprobs: Float32Array.of(0, 0, -0.2, -0.21, 0, 0, 0, 0),
      advantages: Float32Array.of(0, 0, 3, 3, 0, 0, 0, 0),
    });
  });

  test('a prompt and a completion of one token each fill one position', () => {
    const [batch] = packMicrobatches([sequence([7], [9], 1)], 'sequence_mean', 100);
    expect([...(batch?.ids ?? [])].slice(0, 2)).toEqual([7, 0]);
    expect([...(batch?.targets ?? [])].slice(0, 2)).toEqual([9, 0]);
    expect([...(batch?.weights ?? [])]).toEqual([1, 0, 0, 0, 0, 0, 0, 0]);
  });

  test.each(['token_mean', 'sequence_mean'] as const)(
    '%s: weights of all microbatches sum to 1',
    (reduction) => {
      for (const maxTokens of [1, 64, 1e6]) {
        const weights = packMicrobatches(MANY, reduction, maxTokens).flatMap((part) => [...part.weights]);
        expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 6);
        const tokens = MANY.reduce((sum, { tokens: own }) => sum + own.length, 0);
        expect(weights.filter((weight) => weight !== 0)).toHaveLength(tokens);
      }
    },
  );

  test('token_mean gives every token the same share, sequence_mean every sequence', () => {
    const two = [sequence([1], [2]), sequence([3], [4, 5, 6])];
    const shares = (reduction: 'token_mean' | 'sequence_mean') =>
      packMicrobatches(two, reduction, 1e6).flatMap(({ weights }) =>
        [...weights].filter((weight) => weight > 0),
      );
    expect(shares('token_mean')).toEqual([0.25, 0.25, 0.25, 0.25]);
    const sixth = Math.fround(1 / 6);
    expect(shares('sequence_mean')).toEqual([0.5, sixth, sixth, sixth]);
  });

  test('every sequence lands once, whole and in a row of its own, whatever the size of a microbatch', () => {
    for (const maxTokens of [1, 40, 200, 1e6]) {
      const rows = packMicrobatches(MANY, 'token_mean', maxTokens).flatMap(
        ({ batch, length, ids, targets, weights, advantages, samplerLogprobs }) =>
          Array.from({ length: batch }, (_, b) => {
            const at = (i: number): number => b * length + i;
            const inLoss = Array.from({ length }, (_unused, t) => t).filter((t) => weights[at(t)] !== 0);
            const [first = 0] = inLoss;
            const source = MANY[(ids[at(0)] ?? 0) / 1000 - 1];
            expect(Array.from(ids.subarray(at(0), at(first + 1)))).toEqual(source?.promptIds);
            expect(inLoss.map((t) => targets[at(t)])).toEqual(source?.tokens);
            expect(inLoss.map((t) => advantages[at(t)])).toEqual(source?.tokens.map(() => source.advantage));
            expect(inLoss.map((t) => samplerLogprobs[at(t)])).toEqual(
              source?.samplerLogprobs.map(Math.fround),
            );
            return source;
          }),
      );
      expect(new Set(rows)).toEqual(new Set(MANY));
      expect(rows).toHaveLength(MANY.length);
    }
  });

  test('no microbatch holds more padded tokens than asked, but one sequence may', () => {
    for (const maxTokens of [8, 64, 100]) {
      for (const { batch, length } of packMicrobatches(MANY, 'token_mean', maxTokens)) {
        expect(length % 8).toBe(0);
        expect(batch === 1 || batch * length <= maxTokens).toBe(true);
      }
    }
    expect(packMicrobatches(MANY, 'token_mean', 1)).toHaveLength(MANY.length);
    expect(packMicrobatches([], 'token_mean', 64)).toEqual([]);
  });

  test.each([
    [[], [1]],
    [[1], []],
  ])('refuses prompt %j with completion %j', (promptIds: number[], tokens: number[]) => {
    expect(() => packMicrobatches([sequence(promptIds, tokens)], 'token_mean', 64)).toThrow(
      `${promptIds.length} prompt and ${tokens.length} completion tokens`,
    );
  });
});
