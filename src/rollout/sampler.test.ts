import { describe, expect, test } from 'vitest';
import { chiSquared, chiSquaredBound } from '../testing/chiSquared.ts';
import { gumbelOf, positionKey, rowKey, tokenBits } from './random.ts';
import { drawToken } from './sampler.ts';
import type { SamplingSettings } from './types.ts';

const PLAIN: SamplingSettings = { temperature: 1, topP: 1, topK: 0, maxTokens: 1, stop: [] };
/** Not sorted, so that rank and id differ. */
const PROBABILITIES = [0.1, 0.5, 0.15, 0.25];
/** A constant shift of all logits changes nothing. */
const LOGITS = Float32Array.from(PROBABILITIES, (p) => Math.log(p) + 80);

/** A new one in every run: what holds only for some seeds does not hold. */
const seed = Math.floor(Math.random() * 2 ** 32);

/** How often each token is drawn from `logits` over `draws` different places. */
function frequencies(
  logits: Float32Array,
  changes: Partial<SamplingSettings>,
  draws: number,
): Uint32Array<ArrayBuffer> {
  const counts = new Uint32Array(logits.length);
  for (let i = 0; i < draws; i++) {
    const key = positionKey(rowKey(seed, 1, i % 50, Math.floor(i / 50) % 40), Math.floor(i / 2000));
    const { token } = drawToken(logits, { ...PLAIN, ...changes }, key);
    counts[token] = (counts[token] ?? 0) + 1;
  }
  return counts;
}

/** The softmax at a temperature, in float64, over `kept` tokens. */
function softmax(logits: ArrayLike<number>, temperature: number, kept: ReadonlySet<number>): number[] {
  const values = Array.from(logits, (logit, i) => (kept.has(i) ? logit / temperature : -Infinity));
  const max = Math.max(...values);
  const weights = values.map((value) => Math.exp(value - max));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

const range = (count: number): Set<number> => new Set(Array.from({ length: count }, (_, i) => i));

function randomLogits(size: number, spread: number): Float32Array<ArrayBuffer> {
  return Float32Array.from({ length: size }, () => spread * (Math.random() + Math.random() - 1));
}

describe(`drawToken, seed ${seed}`, () => {
  test.each<[string, Partial<SamplingSettings>, number[]]>([
    ['plain', {}, [0, 1, 2, 3]],
    ['T = 0.5', { temperature: 0.5 }, [0, 1, 2, 3]],
    ['T = 3', { temperature: 3 }, [0, 1, 2, 3]],
    ['top-k 2', { topK: 2 }, [1, 3]],
    ['top-k beyond the vocabulary', { topK: 99 }, [0, 1, 2, 3]],
    ['top-p 0.01', { topP: 0.01 }, [1]],
    ['top-p 0.49', { topP: 0.49 }, [1]],
    ['top-p 0.51', { topP: 0.51 }, [1, 3]],
    ['top-p 0.74', { topP: 0.74 }, [1, 3]],
    ['top-p 0.76', { topP: 0.76 }, [1, 2, 3]],
    ['top-p 0.91', { topP: 0.91 }, [0, 1, 2, 3]],
    // The mass that top-k leaves is 0.9; 0.8 of it is reached by 0.75.
    ['top-k 3, then top-p 0.8', { topK: 3, topP: 0.8 }, [1, 3]],
    ['top-p 0.8', { topP: 0.8 }, [1, 2, 3]],
  ])('%s: draws as often as the softmax over what is left says', (_name, changes, kept) => {
    const expected = softmax(LOGITS, changes.temperature ?? 1, new Set(kept));
    const { statistic, freedom } = chiSquared(frequencies(LOGITS, changes, 20_000), expected);
    expect(freedom).toBe(kept.length - 1);
    expect(statistic).toBeLessThanOrEqual(freedom === 0 ? 0 : chiSquaredBound(freedom));
  });

  test.each([
    [1, [0.1, 0.5, 0.15, 0.25]],
    // p² / Σ p² = p² / 0.345
    [0.5, [0.01, 0.25, 0.0225, 0.0625].map((square) => square / 0.345)],
  ])('gives the log-probability at temperature %d, whatever top-k leaves', (temperature, expected) => {
    const seen = new Map<number, number>();
    for (let i = 0; i < 2000; i++) {
      const topK = i % 2 === 0 ? 3 : 0;
      const { token, logprob } = drawToken(LOGITS, { ...PLAIN, temperature, topK }, positionKey(seed, i));
      seen.set(token, logprob);
    }
    expect(new Set(seen.keys())).toEqual(range(4));
    for (const [token, logprob] of seen) expect(logprob).toBeCloseTo(Math.log(expected[token] ?? NaN), 5);
  });

  test('equal logits rank by id, and greedy takes the first largest', () => {
    const even = new Float32Array(4);
    expect(
      new Set(Array.from({ length: 200 }, (_, i) => drawToken(even, { ...PLAIN, topK: 2 }, i).token)),
    ).toEqual(range(2));
    expect(drawToken(even, { ...PLAIN, temperature: 0 }, seed).token).toBe(0);
    const greedy = drawToken(LOGITS, { ...PLAIN, temperature: 0 }, seed);
    expect(greedy.token).toBe(1);
    expect(greedy.logprob).toBeCloseTo(Math.log(0.5), 5);
  });

  test('logits far apart neither overflow nor give −∞ for the drawn token', () => {
    const { token, logprob } = drawToken(Float32Array.of(-3e38, 3e38, 0), PLAIN, seed);
    expect([token, logprob]).toEqual([1, 0]);
  });

  test.each([NaN, Infinity])('refuses logits that hold %d', (bad) => {
    expect(() => drawToken(Float32Array.of(0, bad, 1), PLAIN, seed)).toThrow('not finite');
  });

  test('a vocabulary of 3000, as often as the softmax says', () => {
    const logits = randomLogits(3000, 6);
    // Summed over 60 sets of tokens, so that none is rare.
    const pooled = (values: ArrayLike<number>): Float64Array => {
      const sums = new Float64Array(60);
      for (let i = 0; i < values.length; i++) sums[i % 60] = (sums[i % 60] ?? 0) + (values[i] ?? 0);
      return sums;
    };
    const counts = pooled(frequencies(logits, {}, 20_000));
    const { statistic, freedom } = chiSquared(counts, pooled(softmax(logits, 1, range(3000))));
    expect(freedom).toBe(59);
    expect(statistic).toBeLessThan(chiSquaredBound(59));
  });

  test('is the largest of logit / T + noise over all candidates, found without shortcuts', () => {
    for (const [size, topK, topP] of [
      [50, 0, 1],
      [5000, 0, 1],
      [5000, 40, 1],
      [5000, 0, 0.7],
      [5000, 300, 0.9],
    ] as const) {
      const logits = randomLogits(size, 9);
      const ranked = [...logits.keys()].sort((a, b) => (logits[b] ?? 0) - (logits[a] ?? 0) || a - b);
      const top = ranked.slice(0, topK || size);
      const weights = softmax(logits, 0.8, new Set(top));
      let mass = 0;
      const kept =
        topP === 1
          ? top
          : top.filter((token) => (mass += weights[token] ?? 0) - (weights[token] ?? 0) < topP);
      for (let i = 0; i < 20; i++) {
        const key = positionKey(seed, i);
        const scores = kept.map((token) => (logits[token] ?? 0) / 0.8 + gumbelOf(tokenBits(key, token)));
        const winner = kept[scores.indexOf(Math.max(...scores))];
        expect(drawToken(logits, { ...PLAIN, temperature: 0.8, topK, topP }, key).token).toBe(winner);
      }
    }
  });
});
