import { describe, expect, test } from 'vitest';
import { drawsFor } from '@rl-playground/base/random';
import type { Sequence } from '../loss/sequence.ts';
import { packMicrobatches, TOKEN_VALUES, unpackRows } from './batch.ts';
import { divided } from './cuts.ts';
import { weightsOfWhole } from '../loss/reduction.ts';
import { REDUCTIONS } from '../loss/lossRows.ts';

/** Values that tell token from token, exact in f32. */
function sequence(promptIds: number[], tokens: number[], changes: Partial<Sequence> = {}): Sequence {
  return {
    promptIds,
    tokens,
    samplerLogprobs: tokens.map((token) => -token / 128),
    advantages: tokens.map((token) => token / 64),
    ...changes,
  };
}

/** Sequences of many lengths, each token unlike any other's. */
const MANY = Array.from({ length: 11 }, (_, i) => {
  const tokens = Array.from({ length: 1 + ((i * 7) % 17) }, (_unused, t) => 1000 * (i + 1) + 500 + t);
  return sequence(
    Array.from({ length: 1 + ((i * 5) % 13) }, (_unused, t) => 1000 * (i + 1) + t),
    tokens,
    {
      oldLogprobs: tokens.map((token) => -token / 256),
      referenceLogprobs: tokens.map((token) => -token / 512),
      masked: i % 4 === 3,
    },
  );
});

/** Weight 1, 2, 3, … of sequence 0, 1, 2, … */
const numbered = (index: number): number => index + 1;

describe('packMicrobatches', () => {
  test('shifts targets by one: the position of the last prompt token predicts the first response token', () => {
    const packed = packMicrobatches([sequence([10, 11, 12], [32, 64])], () => 0.5, 100);
    expect(packed).toEqual([
      {
        batch: 1,
        length: 8,
        computed: 8,
        shared: null,
        kept: null,
        entropyWeights: null,
        rows: [0],
        spans: [{ first: 2, tokens: 2 }],
        wanted: Int32Array.of(2, 3),
        ids: Int32Array.of(10, 11, 12, 32, 0, 0, 0, 0),
        targets: Int32Array.of(11, 12, 32, 64, 0, 0, 0, 0),
        mask: Float32Array.of(0, 0, 1, 1, 0, 0, 0, 0),
        weights: Float32Array.of(0, 0, 0.5, 0.5, 0, 0, 0, 0),
        samplerLogprobs: Float32Array.of(0, 0, -0.25, -0.5, 0, 0, 0, 0),
        oldLogprobs: Float32Array.of(0, 0, -0.25, -0.5, 0, 0, 0, 0),
        referenceLogprobs: new Float32Array(8),
        advantages: Float32Array.of(0, 0, 0.5, 1, 0, 0, 0, 0),
        learned: Float32Array.of(0, 0, 1, 1, 0, 0, 0, 0),
        oldValues: new Float32Array(8),
        returns: new Float32Array(8),
      },
    ]);
  });

  test('a prompt and a completion of one token each fill one position', () => {
    const [batch] = packMicrobatches([sequence([7], [9])], () => 3, 100);
    expect([...(batch?.ids ?? [])].slice(0, 2)).toEqual([7, 0]);
    expect([...(batch?.targets ?? [])].slice(0, 2)).toEqual([9, 0]);
    expect([...(batch?.mask ?? [])]).toEqual([1, 0, 0, 0, 0, 0, 0, 0]);
    expect([...(batch?.weights ?? [])]).toEqual([3, 0, 0, 0, 0, 0, 0, 0]);
  });

  test('old log-probabilities are the sampler’s only where there are none', () => {
    const [batch] = packMicrobatches([sequence([1], [16, 32], { oldLogprobs: [-2, -3] })], () => 1, 100);
    expect([...(batch?.oldLogprobs ?? [])].slice(0, 2)).toEqual([-2, -3]);
    expect([...(batch?.samplerLogprobs ?? [])].slice(0, 2)).toEqual([-0.125, -0.25]);
  });

  test('a masked sequence goes through the model and weighs nothing', () => {
    const [batch] = packMicrobatches([sequence([1], [2, 3], { masked: true })], () => 1, 100);
    expect([...(batch?.mask ?? [])].slice(0, 2)).toEqual([1, 1]);
    expect([...(batch?.weights ?? [])]).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
  });

  test.each(REDUCTIONS)('%s: the weights do not depend on the cut into microbatches', (reduction) => {
    const weightOf = weightsOfWhole(MANY, reduction, 17);
    for (const maxTokens of [1, 64, 1e6]) {
      for (const { rows, spans, length, weights, mask } of packMicrobatches(MANY, weightOf, maxTokens)) {
        rows.forEach((index, b) => {
          const { first = NaN, tokens = NaN } = spans[b] ?? {};
          const row = Array.from(weights.subarray(b * length, (b + 1) * length));
          const expected = MANY[index]?.masked === true ? 0 : Math.fround(weightOf(index));
          expect(row).toEqual(row.map((_, t) => (t >= first && t < first + tokens ? expected : 0)));
          expect(tokens).toBe(MANY[index]?.tokens.length);
          expect(mask.subarray(b * length, (b + 1) * length).filter((value) => value === 1)).toHaveLength(
            tokens,
          );
        });
      }
    }
  });

  test('weights of means sum to 1 where nothing is masked', () => {
    const sequences = MANY.map((one) => ({ ...one, masked: false }));
    for (const reduction of ['token_mean', 'sequence_mean', 'minibatch_token_mean'] as const) {
      const weightOf = weightsOfWhole(sequences, reduction, 17);
      const all = packMicrobatches(sequences, weightOf, 64).flatMap(({ weights }) => [...weights]);
      expect(all.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 6);
    }
  });

  test('every sequence lands once, whole and in a row of its own, whatever the size of a microbatch', () => {
    for (const maxTokens of [1, 40, 200, 1e6]) {
      const indices = packMicrobatches(MANY, numbered, maxTokens).flatMap((microbatch) =>
        microbatch.rows.map((index, b) => {
          const { batch, length, spans, rows } = microbatch;
          expect([batch, spans.length]).toEqual([rows.length, rows.length]);
          const { first = NaN, tokens = NaN } = spans[b] ?? {};
          const cut = (values: ArrayLike<number>): number[] =>
            Array.from(values).slice(b * length + first, b * length + first + tokens);
          const source = MANY[index];
          const ids = Array.from(microbatch.ids.subarray(b * length, b * length + length));
          expect(ids.slice(0, first + tokens)).toEqual([
            ...(source?.promptIds ?? []),
            ...(source?.tokens.slice(0, -1) ?? []),
          ]);
          expect(cut(microbatch.targets)).toEqual(source?.tokens);
          expect(cut(microbatch.advantages)).toEqual(source?.advantages);
          expect(cut(microbatch.samplerLogprobs)).toEqual(source?.samplerLogprobs);
          expect(cut(microbatch.oldLogprobs)).toEqual(source?.oldLogprobs);
          expect(cut(microbatch.referenceLogprobs)).toEqual(source?.referenceLogprobs);
          return index;
        }),
      );
      expect(indices.toSorted((a, b) => a - b)).toEqual(MANY.map((_, i) => i));
    }
  });

  test('outside the completions every array is 0', () => {
    for (const microbatch of packMicrobatches(MANY, numbered, 100)) {
      const outside = [...microbatch.mask.keys()].filter((i) => microbatch.mask[i] === 0);
      expect(outside.length).toBeGreaterThan(0);
      for (const name of [
        'weights',
        'samplerLogprobs',
        'oldLogprobs',
        'referenceLogprobs',
        'advantages',
      ] as const)
        expect(outside.every((i) => microbatch[name][i] === 0)).toBe(true);
    }
  });

  test('no microbatch holds more padded tokens than asked, but one sequence may', () => {
    for (const maxTokens of [8, 64, 100]) {
      for (const { batch, length } of packMicrobatches(MANY, numbered, maxTokens)) {
        expect(length % 8).toBe(0);
        expect(batch === 1 || batch * length <= maxTokens).toBe(true);
      }
    }
    expect(packMicrobatches(MANY, numbered, 1)).toHaveLength(MANY.length);
    expect(packMicrobatches([], numbered, 64)).toEqual([]);
  });

  test.each([
    [[], [1]],
    [[1], []],
  ])('refuses prompt %j with completion %j', (promptIds: number[], tokens: number[]) => {
    expect(() => packMicrobatches([sequence(promptIds, tokens)], numbered, 64)).toThrow(
      `${promptIds.length} prompt and ${tokens.length} completion tokens`,
    );
  });

  test.each(TOKEN_VALUES)('refuses %s that are not one for each completion token', (name) => {
    for (const length of [1, 3, 4]) {
      const wrong = sequence([5, 6], [7, 8], { [name]: Array.from({ length }, () => -1) });
      expect(() => packMicrobatches([sequence([1], [2]), wrong], numbered, 64)).toThrow(
        `Sequence 1 has ${length} ${name} but 2 completion tokens`,
      );
    }
    const none = packMicrobatches([sequence([5, 6], [7, 8], { [name]: [] })], numbered, 64);
    expect([...(none[0]?.[name] ?? [])]).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
  });
});

test('unpackRows gives each sequence what stands at its completion tokens', () => {
  for (const maxTokens of [1, 64, 1e6]) {
    const found: Float32Array[] = [];
    for (const microbatch of packMicrobatches(MANY, numbered, maxTokens))
      unpackRows(microbatch, Float32Array.from(microbatch.targets), found);
    expect(found.map((values) => [...values])).toEqual(MANY.map(({ tokens }) => tokens));
  }
});

describe('where sequences are cut', () => {
  /** The cuts of rows whose prompts all differ. */
  const apart = (lengths: readonly number[], maxTokens: number) => {
    const rows = lengths.map((length, group) => ({ length, prompt: 1, tokens: length, group }));
    const { order, cuts, shares } = divided(rows, maxTokens);
    expect({ order, shares }).toEqual({ order: [...lengths.keys()], shares: false });
    return cuts;
  };

  /** Cost of every way to cut, the least of them. */
  function leastCost(lengths: readonly number[], maxTokens: number): number {
    let least = lengths.length === 0 ? 0 : Infinity;
    for (let end = 1; end <= lengths.length; end++) {
      const padded = end * (lengths[0] ?? NaN);
      if (end > 1 && padded > maxTokens) break;
      least = Math.min(least, padded + maxTokens / 8 + leastCost(lengths.slice(end), maxTokens));
    }
    return least;
  }

  test('no other way costs less, a microbatch counting for an eighth of what one may hold', () => {
    const draw = drawsFor(5);
    for (let round = 0; round < 60; round++) {
      const count = Math.floor(11 * draw());
      const lengths = Array.from({ length: count }, () => 8 * (1 + Math.floor(9 * draw()))).sort(
        (a, b) => b - a,
      );
      const maxTokens = 8 * (1 + Math.floor(40 * draw()));
      const cuts = apart(lengths, maxTokens);
      expect(cuts.flatMap(({ begin, end }) => lengths.slice(begin, end))).toEqual(lengths);
      const costs = cuts.map(({ begin, end }) => (end - begin) * (lengths[begin] ?? NaN) + maxTokens / 8);
      expect(costs.reduce((sum, cost) => sum + cost, 0)).toBeCloseTo(leastCost(lengths, maxTokens), 9);
    }
  });

  test('answers of few lengths share microbatches with their like', () => {
    const lengths = [...Array.from({ length: 20 }, () => 48), ...Array.from({ length: 40 }, () => 40)];
    expect(apart(lengths, 2048)).toEqual([
      { begin: 0, end: 20 },
      { begin: 20, end: 60 },
    ]);
    expect(apart([48, 40, 40], 2048)).toEqual([{ begin: 0, end: 3 }]);
  });
});

describe('prompts that sequences share', () => {
  test('stand once in what is computed, and padding nowhere', () => {
    const group = [sequence([1, 2, 3], [4, 5]), sequence([1, 2, 3], [6]), sequence([1, 2, 3], [7, 8, 9])];
    const packed = packMicrobatches([...group, sequence([1, 2], [3, 4])], numbered, 100);
    expect(packed.map(({ rows, length, computed }) => ({ rows, length, computed }))).toEqual([
      { rows: [0, 1, 2, 3], length: 8, computed: 9 },
    ]);
    expect(packed[0]?.shared).toEqual({
      first: Int32Array.of(0, 1, 2, 3, 16 + 3, 16 + 4, 24, 25, 26),
      copies: Int32Array.of(3, 3, 3, 1, 1, 1, 1, 1, 1),
    });
    // The batch itself is as it would be without sharing.
    expect([...(packed[0]?.ids ?? [])].slice(16, 24)).toEqual([1, 2, 3, 7, 8, 0, 0, 0]);
    expect([...(packed[0]?.wanted ?? [])]).toEqual([2, 3, 10, 18, 19, 20, 25, 26]);
  });

  test('each wanted position stands for its token, at its place, behind its own prompt', () => {
    const draw = drawsFor(11);
    const prompts = Array.from({ length: 5 }, (_, i) =>
      Array.from({ length: 9 + 3 * i }, () => Math.floor(7 * draw())),
    );
    const sequences = Array.from({ length: 40 }, () => {
      const tokens = Array.from(
        { length: 1 + Math.floor(20 * draw()) },
        () => 100 + Math.floor(900 * draw()),
      );
      return sequence(prompts[Math.floor(5 * draw())] ?? [], tokens);
    });
    for (const maxTokens of [200, 1e6]) {
      const seen: number[] = [];
      for (const { rows, spans, length, batch, ids, shared, computed } of packMicrobatches(
        sequences,
        numbered,
        maxTokens,
      )) {
        expect(batch === 1 || (computed <= maxTokens && batch * length <= 2 * maxTokens)).toBe(true);
        const { first, copies } = shared ?? { first: [], copies: [] };
        const found = new Map<number, number>();
        first.forEach((position, place) => {
          for (let copy = 0; copy < (copies[place] ?? 0); copy++) {
            const at = position + copy * length;
            expect(found.has(at)).toBe(false);
            expect([ids[at], at % length]).toEqual([ids[position], position % length]);
            found.set(at, place);
          }
        });
        rows.forEach((index, b) => {
          const { first: prompt = NaN, tokens = NaN } = spans[b] ?? {};
          const row = Array.from(
            { length: prompt + tokens },
            (_, t) => ids[first[found.get(b * length + t) ?? NaN] ?? NaN],
          );
          const { promptIds = [], tokens: answer = [] } = sequences[index] ?? {};
          expect(row).toEqual([...promptIds, ...answer.slice(0, -1)]);
          seen.push(index);
        });
        expect(found.size).toBe(spans.reduce((sum, { first: prompt, tokens }) => sum + prompt + tokens, 0));
      }
      expect(seen.toSorted((a, b) => a - b)).toEqual([...sequences.keys()]);
    }
  });

  test('are computed in each row where that costs hardly more', () => {
    const long = Array.from({ length: 40 }, (_, i) => i);
    const [batch] = packMicrobatches([sequence([1], long), sequence([1], long)], numbered, 100);
    expect([batch?.shared, batch?.computed]).toEqual([null, 80]);
  });

  test('eight answers of 24 tokens behind a prompt of 40 are 224 positions in place of 512', () => {
    const rows = Array.from({ length: 8 }, () => ({ length: 64, prompt: 40, tokens: 24, group: 0 }));
    expect(divided(rows, 2048)).toEqual({
      order: [...rows.keys()],
      cuts: [{ begin: 0, end: 8 }],
      shares: true,
    });
    const answer = Array.from({ length: 24 }, (_, t) => t);
    const group = rows.map(() =>
      sequence(
        Array.from({ length: 40 }, () => 7),
        answer,
      ),
    );
    expect(packMicrobatches(group, numbered, 2048).map(({ computed }) => computed)).toEqual([40 + 8 * 23]);
  });
});
