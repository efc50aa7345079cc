import { describe, expect, test } from 'vitest';
import { uniformAt } from './random.ts';
import { drawToken } from './sampler.ts';
import type { SamplingSettings } from './types.ts';

const PLAIN: SamplingSettings = { temperature: 1, topP: 1, topK: 0, maxTokens: 1 };
/** Not sorted, so that rank and id differ. */
const PROBABILITIES = [0.1, 0.5, 0.15, 0.25];
/** A constant shift of all logits changes nothing. */
const LOGITS = Float32Array.from(PROBABILITIES, (p) => Math.log(p) + 80);

const draw = (uniform: number, changes: Partial<SamplingSettings> = {}) =>
  drawToken(LOGITS, { ...PLAIN, ...changes }, uniform);
const tokensAt = (uniforms: readonly number[], changes: Partial<SamplingSettings>) =>
  uniforms.map((uniform) => draw(uniform, changes).token);

describe('drawToken', () => {
  test('inverts the cumulative distribution in the order of ids: 0.1, 0.6, 0.75, 1', () => {
    expect(tokensAt([0, 0.099, 0.101, 0.599, 0.601, 0.749, 0.751, 1 - 2 ** -32], {})).toEqual([
      0, 0, 1, 1, 2, 2, 3, 3,
    ]);
  });

  test.each([
    [1, [0.1, 0.5, 0.15, 0.25]],
    // p² / Σ p² = p² / 0.345
    [0.5, [0.01, 0.25, 0.0225, 0.0625].map((square) => square / 0.345)],
  ])('gives the log-probability at temperature %d', (temperature, expected) => {
    const seen = new Map<number, number>();
    for (let i = 0; i < 200; i++) {
      const { token, logprob } = draw(i / 200, { temperature });
      seen.set(token, logprob);
    }
    expect(new Set(seen.keys())).toEqual(new Set([0, 1, 2, 3]));
    for (const [token, logprob] of seen) expect(logprob).toBeCloseTo(Math.log(expected[token] ?? NaN), 5);
  });

  test('top-k 2 keeps ids 1 and 3, shares their mass 0.75, and reports the unfiltered log-probability', () => {
    expect(tokensAt([0, 0.66, 0.67, 0.999], { topK: 2 })).toEqual([1, 1, 3, 3]);
    expect(draw(0.9, { topK: 2 }).logprob).toBeCloseTo(Math.log(0.25), 5);
    expect(tokensAt([0, 0.099, 0.999], { topK: 99 })).toEqual([0, 0, 3]);
  });

  test('top-p keeps the smallest set of likely tokens that reaches it, the crossing one included', () => {
    const kept = (topP: number) =>
      new Set(Array.from({ length: 100 }, (_, i) => draw(i / 100, { topP }).token));
    expect(kept(0.01)).toEqual(new Set([1]));
    expect(kept(0.49)).toEqual(new Set([1]));
    expect(kept(0.51)).toEqual(new Set([1, 3]));
    expect(kept(0.74)).toEqual(new Set([1, 3]));
    expect(kept(0.76)).toEqual(new Set([1, 2, 3]));
    expect(kept(0.91)).toEqual(new Set([0, 1, 2, 3]));
  });

  test('top-p after top-k counts the mass that top-k left: 0.8 of 0.9 is reached by 0.75', () => {
    expect(tokensAt([0, 0.66, 0.67, 0.999], { topK: 3, topP: 0.8 })).toEqual([1, 1, 3, 3]);
    expect(tokensAt([0, 0.5, 0.6, 0.999], { topP: 0.8 })).toEqual([1, 1, 2, 3]);
  });

  test('equal logits rank by id, and greedy takes the first largest', () => {
    const even = new Float32Array(4);
    expect(drawToken(even, { ...PLAIN, topK: 2 }, 0.999).token).toBe(1);
    expect(drawToken(even, { ...PLAIN, temperature: 0 }, 0.999).token).toBe(0);
    const greedy = draw(0.999, { temperature: 0 });
    expect(greedy.token).toBe(1);
    expect(greedy.logprob).toBeCloseTo(Math.log(0.5), 5);
  });

  test('logits far apart neither overflow nor give −∞ for the drawn token', () => {
    const { token, logprob } = drawToken(Float32Array.of(-3e38, 3e38, 0), PLAIN, 0.5);
    expect([token, logprob]).toEqual([1, 0]);
  });

  test.each([NaN, Infinity])('refuses logits that hold %d', (bad) => {
    expect(() => drawToken(Float32Array.of(0, bad, 1), PLAIN, 0.5)).toThrow('not finite');
  });

  test('draws at counted uniforms follow the probabilities (χ² with 3 degrees of freedom, p = 1e-4)', () => {
    const n = 20_000;
    const counts = [0, 0, 0, 0];
    for (let i = 0; i < n; i++) {
      const { token } = draw(uniformAt(1, 2, i % 100, Math.floor(i / 100), 5));
      counts[token] = (counts[token] ?? 0) + 1;
    }
    const chiSquared = PROBABILITIES.reduce(
      (sum, p, i) => sum + ((counts[i] ?? 0) - n * p) ** 2 / (n * p),
      0,
    );
    expect(chiSquared).toBeLessThan(21.1);
  });
});

describe('uniformAt', () => {
  test('lies in [0, 1), repeats, and changes with each coordinate', () => {
    const base = [7, 3, 2, 1, 0] as const;
    const value = uniformAt(...base);
    expect(value).toBe(uniformAt(...base));
    for (let i = 0; i < base.length; i++) {
      const changed = base.map((word, j) => (i === j ? word + 1 : word)) as [
        number,
        number,
        number,
        number,
        number,
      ];
      expect(uniformAt(...changed)).not.toBe(value);
    }
    expect(uniformAt(3, 7, 2, 1, 0)).not.toBe(value);
    expect(uniformAt(4_294_967_295, 0x7fffffff, 0, 0, 0)).toBeLessThan(1);
  });

  test('fills 256 bins evenly over positions, samples and problems (χ², p = 1e-4)', () => {
    const bins = new Float64Array(256);
    const n = 64 * 32 * 32;
    for (let i = 0; i < n; i++) {
      const bin = Math.floor(256 * uniformAt(0, 1, i % 32, (i >> 5) % 32, i >> 10));
      bins[bin] = (bins[bin] ?? 0) + 1;
    }
    const chiSquared = bins.reduce((sum, count) => sum + (count - n / 256) ** 2 / (n / 256), 0);
    expect(chiSquared).toBeGreaterThan(178);
    expect(chiSquared).toBeLessThan(345);
  });
});
