import { describe, expect, test } from 'vitest';
import { chiSquared, chiSquaredBound } from '@rl-playground/base/testing/chiSquared';
import { everyProof } from '@rl-playground/base/testing/proofs';
import { drawToken, gumbelOf, positionKey, rowKey, tokenBits } from './sampler.ts';
import type { SamplingSettings } from './types.ts';

const PLAIN: SamplingSettings = { temperature: 1, topP: 1, topK: 0, maxTokens: 1, stop: [] };
/** Not sorted, so that rank and id differ. */
const PROBABILITIES = [0.1, 0.5, 0.15, 0.25];
/** A constant shift of all logits changes nothing. */
const LOGITS = Float32Array.from(PROBABILITIES, (p) => Math.log(p) + 80);

/** A new one in every run: what holds only for some seeds does not hold. */
const seed = Math.floor(Math.random() * 2 ** 32);

/** Counts how often each token is drawn from `logits` over `draws` different places. */
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
    // Of 0.5, the likeliest: 0.25 is half, 0.15 three tenths.
    ['min-p 0.49', { minP: 0.49 }, [1, 3]],
    ['min-p 0.29', { minP: 0.29 }, [1, 2, 3]],
    ['min-p 1', { minP: 1 }, [1]],
    ['top-k 3, then min-p 0.1', { topK: 3, minP: 0.1 }, [1, 2, 3]],
    // The cube root of two tenths is 0.58.
    ['min-p 0.49 at T = 3', { minP: 0.49, temperature: 3 }, [0, 1, 2, 3]],
  ])('%s: draws as often as the softmax over what is left says', (_name, changes, kept) => {
    const expected = softmax(LOGITS, changes.temperature ?? 1, new Set(kept));
    const { statistic, freedom } = chiSquared(
      frequencies(LOGITS, changes, everyProof ? 20_000 : 5000),
      expected,
    );
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

  test('rows that pad the embedding are never drawn, and are in the distribution all the same', () => {
    // The likeliest of all is no token.
    const logits = Float32Array.from([0.1, 0.2, 0.15, 0.05, 0.4, 0.1], (p) => Math.log(p) - 3);
    const cases: readonly (readonly [Partial<SamplingSettings>, readonly number[]])[] = [
      [{}, [0.2, 0.4, 0.3, 0.1]],
      [{ topK: 2 }, [0, 4 / 7, 3 / 7, 0]],
      [{ topP: 0.65 }, [0, 4 / 7, 3 / 7, 0]],
    ];
    for (const [changes, expected] of cases) {
      const counts = new Uint32Array(4);
      for (let i = 0; i < 5000; i++) {
        const key = positionKey(rowKey(seed, 2, i % 50, 0), i);
        const { token, logprob } = drawToken(logits, { ...PLAIN, ...changes }, key, 4);
        expect(token).toBeLessThan(4);
        expect(Math.abs(logprob - Math.log([0.1, 0.2, 0.15, 0.05][token] ?? NaN))).toBeLessThan(1e-6);
        counts[token] = (counts[token] ?? 0) + 1;
      }
      const { statistic, freedom } = chiSquared(counts, expected);
      expect(statistic).toBeLessThan(chiSquaredBound(freedom));
    }
    expect(drawToken(logits, { ...PLAIN, temperature: 0 }, seed, 4).token).toBe(1);
  });

  test('a vocabulary of 3000, as often as the softmax says', () => {
    const logits = randomLogits(3000, 6);
    // Summed over 60 sets of tokens, so that none is rare.
    const pooled = (values: ArrayLike<number>): Float64Array => {
      const sums = new Float64Array(60);
      for (let i = 0; i < values.length; i++) sums[i % 60] = (sums[i % 60] ?? 0) + (values[i] ?? 0);
      return sums;
    };
    const counts = pooled(frequencies(logits, {}, everyProof ? 20_000 : 5000));
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

type Place = readonly [
  seed: number,
  step: number,
  problem: number,
  sample: number,
  position: number,
  token: number,
];

const bitsAt = ([seed, step, problem, sample, position, token]: Place): number =>
  tokenBits(positionKey(rowKey(seed, step, problem, sample), position), token);

describe(`counted random bits, seed ${seed}`, () => {
  test('repeat, and change with each coordinate and with their order', () => {
    const base: Place = [7, 3, 2, 1, 0, 5];
    const bits = bitsAt(base);
    expect(bitsAt(base)).toBe(bits);
    for (let i = 0; i < base.length; i++) {
      const changed = base.map((word, j) => (i === j ? word + 1 : word)) as unknown as Place;
      expect(bitsAt(changed)).not.toBe(bits);
    }
    expect(bitsAt([3, 7, 2, 1, 0, 5])).not.toBe(bits);
  });

  test('are 32 unsigned bits, of which each is set half the time', () => {
    const set = Array.from({ length: 32 }, () => 0);
    const draws = 20_000;
    for (let i = 0; i < draws; i++) {
      const bits = bitsAt([seed, 1, i % 10, 0, Math.floor(i / 10) % 10, Math.floor(i / 100)]);
      expect(Number.isInteger(bits) && bits >= 0 && bits < 2 ** 32).toBe(true);
      for (let bit = 0; bit < 32; bit++) set[bit] = (set[bit] ?? 0) + ((bits >>> bit) & 1);
    }
    // Six standard deviations of a fair coin.
    for (const count of set) expect(Math.abs(count - draws / 2)).toBeLessThan(6 * Math.sqrt(draws / 4));
  });

  test('fill 256 bins evenly over tokens, positions and samples', () => {
    const bins = new Float64Array(256);
    for (let i = 0; i < 64 * 32 * 32; i++) {
      const bin = bitsAt([seed, 1, 0, i % 32, (i >> 5) % 32, i >> 10]) >>> 24;
      bins[bin] = (bins[bin] ?? 0) + 1;
    }
    const { statistic, freedom } = chiSquared(bins, new Float64Array(256).fill(1 / 256));
    expect(freedom).toBe(255);
    expect(statistic).toBeLessThan(chiSquaredBound(255));
    // Counts more even than chance are no better: the lower tail, by the same approximation.
    expect(statistic).toBeGreaterThan(255 * (1 - 2 / (9 * 255) - 4.753 * Math.sqrt(2 / (9 * 255))) ** 3);
  });
});

describe('gumbelOf', () => {
  test('is finite at both ends, and falls as the bits rise', () => {
    // t = 2⁻³³: −ln(−ln(1 − t)) = −ln(t + t²/2 + …) = 33 ln 2 to 10 digits.
    expect(gumbelOf(0)).toBeCloseTo(33 * Math.log(2), 9);
    // 1 − t = 2⁻³³: −ln(33 ln 2).
    expect(gumbelOf(2 ** 32 - 1)).toBeCloseTo(-Math.log(33 * Math.log(2)), 9);
    const values = Array.from({ length: 4097 }, (_, i) => gumbelOf(Math.min(i * 2 ** 20, 2 ** 32 - 1)));
    values.reduce((above, value) => {
      expect(value).toBeLessThan(above);
      return value;
    }, Infinity);
  });

  test('has the distribution function exp(−exp(−x))', () => {
    for (const x of [-2, -1, 0, 1, 3, 8]) {
      const t = 1 - Math.exp(-Math.exp(-x));
      expect(gumbelOf(Math.floor(t * 2 ** 32))).toBeCloseTo(x, 5);
    }
  });
});
