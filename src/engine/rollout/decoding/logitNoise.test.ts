import { describe, expect, test } from 'vitest';
import { normalAt, withLogitNoise } from './logitNoise.ts';
import { drawToken, gumbelOf, positionKey, rowKey, tokenBits } from './sampler.ts';

/** A new one in every run: what holds only for some seeds does not hold. */
const seed = Math.floor(Math.random() * 2 ** 32);
const keyOf = (row: number, position: number): number => positionKey(rowKey(seed, 1, 0, row), position);
const DRAWS = 40_000;
/** Draws of 200 places, which are 50 rows of 4 positions, with 200 tokens each. No draw is made twice, or the errors below would be too small. */
const normals = Array.from({ length: DRAWS }, (_, i) =>
  normalAt(keyOf(i % 50, Math.floor(i / 50) % 4), Math.floor(i / 200)),
);

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

describe(`noise on logits, seed ${seed}`, () => {
  test('has the moments of a standard normal', () => {
    // Standard errors of the means of x, x², x³ and x⁴ are √(1, 2, 15, 96) / √n; six of them are passed once in 10⁹ runs.
    for (const [power, expected, variance] of [
      [1, 0, 1],
      [2, 1, 2],
      [3, 0, 15],
      [4, 3, 96],
    ] as const)
      expect(Math.abs(meanOf(normals.map((x) => x ** power)) - expected)).toBeLessThan(
        6 * Math.sqrt(variance / DRAWS),
      );
    const beyond = normals.filter((x) => Math.abs(x) > 1.959964).length / DRAWS;
    expect(Math.abs(beyond - 0.05)).toBeLessThan(6 * Math.sqrt((0.05 * 0.95) / DRAWS));
  });

  test('has nothing to do with the draw of the token, nor with its neighbours', () => {
    // 28 tokens at each of 7 positions of a row, each once.
    const keys = Array.from(
      { length: DRAWS },
      (_, i) => [keyOf(Math.floor(i / 196), Math.floor(i / 28) % 7), i % 28] as const,
    );
    const correlation = (other: (key: number, token: number) => number): number => {
      const values = keys.map(([key, token]) => other(key, token));
      const mean = meanOf(values);
      const deviation = Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2)));
      return meanOf(
        keys.map(([key, token], i) => (normalAt(key, token) * ((values[i] ?? 0) - mean)) / deviation),
      );
    };
    const most = 6 / Math.sqrt(DRAWS);
    expect(Math.abs(correlation((key, token) => gumbelOf(tokenBits(key, token))))).toBeLessThan(most);
    expect(Math.abs(correlation((key, token) => normalAt(key, token + 1)))).toBeLessThan(most);
    expect(Math.abs(correlation((key, token) => normalAt(key + 1, token)))).toBeLessThan(most);
  });

  test('is added to each logit, and the log-probability is that of the sum', () => {
    const logits = Float32Array.from({ length: 28 }, () => 6 * Math.random());
    const key = keyOf(3, 5);
    const noisy = withLogitNoise(logits, 1.5, key);
    noisy.forEach((value, token) =>
      expect(value).toBe(Math.fround((logits[token] ?? NaN) + 1.5 * normalAt(key, token))),
    );
    const settings = { temperature: 0.8, topP: 1, topK: 0, maxTokens: 1, stop: [] };
    const { token, logprob } = drawToken(noisy, settings, key);
    const weights = Array.from(noisy, (value) => Math.exp(value / 0.8));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    expect(logprob).toBeCloseTo(Math.log((weights[token] ?? NaN) / total), 10);
  });
});
