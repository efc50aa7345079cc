import { describe, expect, test } from 'vitest';
import { parseModelConfig } from './config.ts';
import { ropeFrequencies, ropeTables } from './rope.ts';

const config = (changes: object = {}) =>
  parseModelConfig({
    model_type: 'llama',
    vocab_size: 8,
    hidden_size: 16,
    num_hidden_layers: 1,
    num_attention_heads: 2,
    intermediate_size: 8,
    rope_theta: 10_000,
    ...changes,
  });

describe('ropeFrequencies', () => {
  test('falls from 1 by θ^(−2/headDim): head size 8 and θ = 10⁴ give powers of 1/10', () => {
    const frequencies = ropeFrequencies(config());
    expect(frequencies).toHaveLength(4);
    [1, 0.1, 0.01, 0.001].forEach((expected, i) => expect(frequencies[i]).toBeCloseTo(expected, 12));
  });

  test('linear scaling divides all by the factor', () => {
    const frequencies = ropeFrequencies(config({ rope_scaling: { type: 'linear', factor: 4 } }));
    [0.25, 0.025, 0.0025, 0.00025].forEach((expected, i) => expect(frequencies[i]).toBeCloseTo(expected, 12));
  });

  test('llama3 scaling keeps fast ones, divides slow ones and blends between', () => {
    const rope = { rope_type: 'llama3', factor: 8, low_freq_factor: 1, high_freq_factor: 4 };
    // Turns within the original context, 200 · f / 2π: 31.8, 3.183, 0.318 and 0.0318; the blend of the second is
    // (3.183 − 1) / (4 − 1) = 0.7277.
    const frequencies = ropeFrequencies(
      config({ rope_scaling: { ...rope, original_max_position_embeddings: 200 } }),
    );
    const keep = (20 / (2 * Math.PI) - 1) / 3;
    [1, keep * 0.1 + ((1 - keep) * 0.1) / 8, 0.01 / 8, 0.001 / 8].forEach((expected, i) =>
      expect(frequencies[i]).toBeCloseTo(expected, 12),
    );
  });
});

test('ropeTables holds cosine and sine of position times frequency, row by row', () => {
  const { cosines, sines } = ropeTables(config(), 3);
  expect(cosines).toHaveLength(12);
  expect([...cosines.subarray(0, 4)]).toEqual([1, 1, 1, 1]);
  expect(cosines[2 * 4 + 1]).toBeCloseTo(Math.cos(0.2), 6);
  expect(sines[2 * 4]).toBeCloseTo(Math.sin(2), 6);
});
