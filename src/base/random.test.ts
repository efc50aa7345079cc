import { describe, expect, it } from 'vitest';
import { avalanche32, drawsFor, fnv1a32, uniformInt } from './random.ts';

const take = (draw: () => number, count: number): number[] => Array.from({ length: count }, () => draw());

describe('hash', () => {
  it('gives the published FNV-1a values', () => {
    expect(fnv1a32('')).toBe(0x811c9dc5);
    expect(fnv1a32('a')).toBe(0xe40c292c);
    expect(fnv1a32('foobar')).toBe(0xbf9cf968);
  });

  it("gives MurmurHash3's finalizer", () => {
    // MurmurHash3_x86_32 of no bytes is the finalizer of its seed: 0 → 0, 1 → 0x514e28b7, 2^32 − 1 → 0x81f16f39.
    expect([0, 1, 0xffffffff].map(avalanche32)).toEqual([0, 0x514e28b7, 0x81f16f39]);
  });
});

describe('drawsFor', () => {
  it('is the xoroshiro128+ stream of its words, pinned for good', () => {
    // From an independent 64-bit implementation in Python.
    expect(take(drawsFor(0, 1, 2), 3)).toEqual([0.260785636853889, 0.3959681016283817, 0.12016315306936132]);
    expect(take(drawsFor(-1, 2 ** 53 - 1), 2)).toEqual([0.8569492785231048, 0.8585568219987475]);
    expect(take(drawsFor(0, 1, 2), 50)).toEqual(take(drawsFor(0, 1, 2), 50));
  });

  it('tells apart words that differ in value, sign, order, number or above 32 bits', () => {
    const streams = [[], [0], [0, 0], [1], [-1], [1, 2], [2, 1], [2 ** 32], [2 ** 32 + 1], [2 ** 53 - 1]];
    const firsts = streams.map((words) => drawsFor(...words)());
    expect(new Set(firsts).size).toBe(streams.length);
  });

  it('is uniform over neighbouring words as well as along one stream', () => {
    const count = 100_000;
    const along = drawsFor(7);
    for (const next of [() => along(), (index: number) => drawsFor(3, index)()]) {
      const buckets = Array.from({ length: 20 }, () => 0);
      for (let index = 0; index < count; index++) {
        const bucket = Math.floor(next(index) * 20);
        buckets[bucket] = (buckets[bucket] ?? Number.NaN) + 1;
      }
      const expected = count / 20;
      const chiSquare = buckets.reduce((sum, seen) => sum + (seen - expected) ** 2 / expected, 0);
      // 19 degrees of freedom: above 43.8 in 1 of 1000 fair samples; the streams are fixed.
      expect(chiSquare).toBeLessThan(43.8);
    }
  });

  it('refuses words that are not integers', () => {
    expect(() => drawsFor(1, 0.5)).toThrow('0.5');
    expect(() => drawsFor(Number.NaN)).toThrow('NaN');
  });

  it('makes integers of both bounds and nothing outside', () => {
    const draw = drawsFor(1);
    const seen = new Set(Array.from({ length: 1000 }, () => uniformInt(draw, -2, 3)));
    expect([...seen].sort((a, b) => a - b)).toEqual([-2, -1, 0, 1, 2, 3]);
    expect(uniformInt(() => 1 - 2 ** -53, 100_000, 9_999_999)).toBe(9_999_999);
  });
});
