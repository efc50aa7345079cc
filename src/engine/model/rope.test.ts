import { describe, expect, test } from 'vitest';
import type { Rope, RopeScaling } from './layerAttention.ts';
import { byRope, ropeFrequencies, ropeTables } from './rope.ts';

const rope = (scaling: Partial<RopeScaling> | null = null): Rope => {
  const none = { lowFreqFactor: 1, highFreqFactor: 1, originalMaxPositions: 200 };
  return { theta: 10_000, scaling: scaling && { type: 'linear', factor: 1, ...none, ...scaling } };
};

describe('ropeFrequencies', () => {
  test('falls from 1 by θ^(−2/headDim): head size 8 and θ = 10⁴ give powers of 1/10', () => {
    const frequencies = ropeFrequencies(8, rope());
    expect(frequencies).toHaveLength(4);
    [1, 0.1, 0.01, 0.001].forEach((expected, i) => expect(frequencies[i]).toBeCloseTo(expected, 12));
  });

  test('linear scaling divides all by the factor', () => {
    const frequencies = ropeFrequencies(8, rope({ factor: 4 }));
    [0.25, 0.025, 0.0025, 0.00025].forEach((expected, i) => expect(frequencies[i]).toBeCloseTo(expected, 12));
  });

  test('llama3 scaling keeps fast ones, divides slow ones and blends between', () => {
    // Turns within the original context, 200 · f / 2π: 31.8, 3.183, 0.318 and 0.0318; the blend of the second is
    // (3.183 − 1) / (4 − 1) = 0.7277.
    const frequencies = ropeFrequencies(8, rope({ type: 'llama3', factor: 8, highFreqFactor: 4 }));
    const keep = (20 / (2 * Math.PI) - 1) / 3;
    [1, keep * 0.1 + ((1 - keep) * 0.1) / 8, 0.01 / 8, 0.001 / 8].forEach((expected, i) =>
      expect(frequencies[i]).toBeCloseTo(expected, 12),
    );
  });
});

test('ropeTables holds cosine and sine of position times frequency, row by row', () => {
  const { cosines, sines } = ropeTables(8, rope(), 3);
  expect(cosines).toHaveLength(12);
  expect([...cosines.subarray(0, 4)]).toEqual([1, 1, 1, 1]);
  expect(cosines[2 * 4 + 1]).toBeCloseTo(Math.cos(0.2), 6);
  expect(sines[2 * 4]).toBeCloseTo(Math.sin(2), 6);
});

test('without a rotation every angle is 0, and equal rotations share what is made of them', () => {
  expect(ropeTables(4, null, 2)).toEqual({
    cosines: Float32Array.of(1, 1, 1, 1),
    sines: Float32Array.of(0, 0, 0, 0),
  });
  const layers = [rope(), null, rope(), { ...rope(), theta: 2 }].map((each) => ({ rope: each }));
  let count = 0;
  expect(byRope(layers, () => count++)).toEqual([0, 1, 0, 2]);
});
