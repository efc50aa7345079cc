import { describe, expect, test } from 'vitest';
import { freshInputs } from '../kernels/testing/random.ts';
import { explainedVariance, generalizedAdvantages, standardized, tokenRewards } from './valueAdvantages.ts';

describe('generalised advantages', () => {
  const VALUES = [0.5, 0.25, 0.75];

  test('by hand, γ ½ and λ ½', () => {
    // δ = 0 + ½ · ¼ − ½, 0 + ½ · ¾ − ¼, 1 − ¾ = −⅜, ⅛, ¼; A = δ + ¼ A of the next.
    const { advantages, returns } = generalizedAdvantages([0, 0, 1], VALUES, { gamma: 0.5, lambda: 0.5 });
    expect(advantages).toEqual([-0.375 + 0.046875, 0.125 + 0.0625, 0.25]);
    expect(returns).toEqual([0.171875, 0.4375, 1]);
  });

  test('λ 1 and γ 1: the reward to come less the value; λ 0: one step ahead', () => {
    const far = generalizedAdvantages([0.5, 0, 1], VALUES, { gamma: 1, lambda: 1 });
    expect(far.returns).toEqual([1.5, 1, 1]);
    expect(far.advantages).toEqual([1, 0.75, 0.25]);
    const near = generalizedAdvantages([0.5, 0, 1], VALUES, { gamma: 1, lambda: 0 });
    expect(near.advantages).toEqual([0.5 + 0.25 - 0.5, 0.75 - 0.25, 1 - 0.75]);
    expect(near.returns).toEqual([0.75, 0.75, 1]);
  });

  test('is the exponentially weighted mean of k-step advantages that the paper defines', () => {
    const random = freshInputs();
    const [rewards, values] = [[...random.floats(9)], [...random.floats(9)]];
    const [gamma, lambda] = [0.97, 0.9];
    const { advantages } = generalizedAdvantages(rewards, values, { gamma, lambda });
    const at = (of: readonly number[], t: number): number => of[t] ?? 0;
    // Â^(k) = Σ_{l < k} γ^l r_{t+l} + γ^k V_{t+k} − V_t, (1 − λ) Σ_k λ^(k−1) Â^(k); from the end of the answer on all k-step ones agree.
    const steps = (t: number, k: number): number =>
      Array.from({ length: k }, (_, l) => gamma ** l * at(rewards, t + l)).reduce((a, b) => a + b, 0) +
      gamma ** k * at(values, t + k) -
      at(values, t);
    advantages.forEach((advantage, t) => {
      const left = rewards.length - t;
      let expected = lambda ** (left - 1) * steps(t, left);
      for (let k = 1; k < left; k++) expected += (1 - lambda) * lambda ** (k - 1) * steps(t, k);
      expect({ seed: random.seed, t, apart: Math.abs(advantage - expected) < 1e-12 }).toEqual({
        seed: random.seed,
        t,
        apart: true,
      });
    });
  });

  test('the reward of an answer comes with its last token', () => {
    expect(tokenRewards(3, 1.5)).toEqual([0, 0, 1.5]);
    expect(tokenRewards(1, -1)).toEqual([-1]);
  });
});

describe('standardized advantages', () => {
  test('have mean 0 and deviation 1 over the tokens that count', () => {
    // Of −1, 1, 3: mean 1, σ² = (4 + 0 + 4) / 2 = 4. The answer that does not count is moved and scaled alike.
    const found = standardized([[-1, 1], [7], [3]], (i) => i !== 1);
    const expected = [[-1, 0], [3], [1]];
    found.flat().forEach((value, i) => expect(value).toBeCloseTo(expected.flat()[i] ?? NaN, 8));
    expect(found.map(({ length }) => length)).toEqual([2, 1, 1]);
  });

  test('that are all equal become 0, and none are left as they are where none counts', () => {
    expect(standardized([[2, 2], [2]], () => true)).toEqual([[0, 0], [0]]);
    expect(standardized([[2, 3]], () => false)).toEqual([[2, 3]]);
  });
});

describe('explained variance', () => {
  test('by hand', () => {
    // R: mean 2, squares 4 + 0 + 4; R − V = 1, 0, −1: squares 2.
    expect(explainedVariance([-1, 2, 5], [0, 2, 4])).toBeCloseTo(1 - 2 / 8, 12);
    expect(explainedVariance([0, 2, 4], [0, 2, 4])).toBe(1);
    expect(explainedVariance([5, 5, 5], [0, 2, 4])).toBe(0);
    expect(explainedVariance([4, 2, 0], [0, 2, 4])).toBe(-3);
  });

  test('is null where all returns are the same, or there is but one', () => {
    expect(explainedVariance([1, 2], [3, 3])).toBeNull();
    expect(explainedVariance([1], [3])).toBeNull();
    expect(explainedVariance([], [])).toBeNull();
  });
});
