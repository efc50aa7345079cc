import { describe, expect, test } from 'vitest';
import { drawsFor } from '@rl-playground/base/random';
import { worstDifference } from '../testing/accuracy.ts';
import { klShaping, type ShapingInputs } from './advantages.ts';

/** Three completion tokens after one of the prompt, which takes no part: −1 against −1.1, −0.5 against −0.4, −2 against −3. */
const ONE: ShapingInputs = { samplerLogprobs: [-1, -0.5, -2], referenceLogprobs: [-1.1, -0.4, -3] };

function random(seed: number): (ShapingInputs & { masked: boolean })[] {
  const draw = drawsFor(seed);
  return Array.from({ length: 7 }, (_, i) => {
    const length = 1 + Math.floor(20 * draw());
    const logprobs = (): number[] => Array.from({ length }, () => -5 * draw());
    return { samplerLogprobs: logprobs(), referenceLogprobs: logprobs(), masked: i === 2 || i === 5 };
  });
}

describe('without a discount', () => {
  test('the Tinker cookbook’s example', () => {
    const { added, mean } = klShaping([ONE], 0.1, 0);
    expect(mean).toBeCloseTo(1 / 3, 12);
    expect(worstDifference(added[0] ?? [], [0.0233333, 0.0433333, -0.0666667])).toBeLessThan(1e-7);
  });

  test('the average is over tokens, not over sequences: 0, 0, 0 and 4 make 1', () => {
    const { added, mean } = klShaping(
      [
        { samplerLogprobs: [-1, -2, -3], referenceLogprobs: [-1, -2, -3] },
        { samplerLogprobs: [-1], referenceLogprobs: [-5] },
      ],
      0.5,
      0,
    );
    expect(mean).toBe(1);
    expect(added).toEqual([[0.5, 0.5, 0.5], [-1.5]]);
  });

  test('all gains together are zero', () => {
    for (const seed of [1, 2, 3]) {
      const { added } = klShaping(random(seed), 0.3, 0);
      expect(Math.abs(added.flat().reduce((sum, gain) => sum + gain, 0))).toBeLessThan(1e-12);
      expect(Math.max(...added.flat())).toBeGreaterThan(0.1);
    }
  });
});

describe('with a discount', () => {
  test('the Tinker cookbook’s example; its prompt position, to which 0.0075 leaks there, has no place here', () => {
    const { added, mean } = klShaping([ONE], 0.1, 0.9);
    expect(mean).toBeCloseTo(1 / 3, 12);
    expect(worstDifference(added[0] ?? [], [0.0083333, -0.0166667, -0.0666667])).toBeLessThan(1e-7);
    expect(added[0]).toHaveLength(3);
  });

  test('each token gains Σ γ^k of its own and later gains, summed outright', () => {
    for (const discount of [0.5, 0.9, 1]) {
      const plain = klShaping(random(4), 0.2, 0).added;
      const { added } = klShaping(random(4), 0.2, discount);
      const expected = plain.map((gains) =>
        gains.map((_, t) => gains.slice(t).reduce((sum, gain, k) => sum + discount ** k * gain, 0)),
      );
      expect(worstDifference(added.flat(), expected.flat())).toBeLessThan(1e-12);
    }
  });
});

describe('sequences that are left out of the loss', () => {
  test('neither count nor gain: the others are as if they were alone', () => {
    for (const discount of [0, 0.9]) {
      const all = random(5);
      const alone = klShaping(
        all.filter(({ masked }) => !masked),
        0.2,
        discount,
      );
      const { added, mean } = klShaping(all, 0.2, discount);
      expect(mean).toBe(alone.mean);
      expect(added.filter((_, i) => all[i]?.masked === false)).toEqual(alone.added);
      for (const [i, gains] of added.entries()) {
        expect(gains).toHaveLength(all[i]?.samplerLogprobs.length ?? NaN);
        if (all[i]?.masked === true) expect(gains.every((gain) => gain === 0)).toBe(true);
      }
    }
  });

  test('where all are, nothing is added and the mean is 0', () => {
    expect(klShaping([{ ...ONE, masked: true }], 0.1, 0.9)).toEqual({ added: [[0, 0, 0]], mean: 0 });
    expect(klShaping([], 0.1, 0)).toEqual({ added: [], mean: 0 });
  });
});

test('a policy that is the reference gains nothing, and a coefficient scales', () => {
  const same = { samplerLogprobs: [-1, -2], referenceLogprobs: [-1, -2] };
  expect(klShaping([same], 3, 0.5)).toEqual({ added: [[0, 0]], mean: 0 });
  const single = klShaping(random(6), 0.1, 0.7).added.flat();
  const threefold = klShaping(random(6), 0.3, 0.7).added.flat();
  expect(
    worstDifference(
      threefold,
      single.map((gain) => 3 * gain),
    ),
  ).toBeLessThan(1e-12);
});
