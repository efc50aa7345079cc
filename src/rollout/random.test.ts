import { describe, expect, test } from 'vitest';
import { chiSquared, chiSquaredBound } from '../testing/chiSquared.ts';
import { gumbelOf, positionKey, rowKey, tokenBits } from './random.ts';

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

const seed = Math.floor(Math.random() * 2 ** 32);

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
