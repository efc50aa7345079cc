import { describe, expect, test } from 'vitest';
import { MAX_SLOTS } from '../kernels/decode/index.ts';
import { parseModelConfig } from '../model/config.ts';
import { batchSize } from './batchSize.ts';
import type { GroupRequest } from './types.ts';

/** 30 layers of 3 heads of 64: 2 · 30 · 3 · 64 · 4 = 46,080 bytes a position. */
const SMALL = parseModelConfig({
  model_type: 'llama',
  vocab_size: 100,
  hidden_size: 576,
  num_hidden_layers: 30,
  num_attention_heads: 9,
  num_key_value_heads: 3,
  intermediate_size: 1536,
  tie_word_embeddings: true,
});
const POSITION_BYTES = 46_080;
const BUDGET = 2 ** 30;

function requestsOf(groups: number, samples: number, promptLength: number): GroupRequest[] {
  return Array.from({ length: groups }, (_, problem) => ({
    promptIds: Array.from({ length: promptLength }, () => 1),
    samples,
    seed: 0,
    step: 0,
    problem,
  }));
}

describe('batchSize', () => {
  test('takes every row where all have room, and a place for each prompt', () => {
    expect(batchSize(SMALL, requestsOf(3, 8, 17), () => 16)).toEqual({
      slots: 24,
      places: 3,
      promptLength: 32,
    });
    expect(batchSize(SMALL, requestsOf(5, 1, 1), () => 16)).toEqual({
      slots: 5,
      places: 5,
      promptLength: 16,
    });
  });

  test('takes no more rows than one workgroup of the GPU gathers', () => {
    const { slots, places } = batchSize(SMALL, requestsOf(40, 8, 10), () => 16);
    expect(slots).toBe(MAX_SLOTS);
    expect(places).toBe(40);
    expect(batchSize(SMALL, requestsOf(400, 1, 10), () => 16).places).toBe(MAX_SLOTS);
  });

  test('stays within the memory for keys and values, or within fewer positions where a buffer holds no more', () => {
    const long = requestsOf(64, 2, 256);
    const { slots, promptLength } = batchSize(SMALL, long, () => 512);
    expect(promptLength).toBe(256);
    expect(slots * (256 + 512) * POSITION_BYTES).toBeLessThanOrEqual(BUDGET);
    expect((slots + 1) * (256 + 512) * POSITION_BYTES).toBeGreaterThan(BUDGET);
    expect(batchSize(SMALL, long, () => 512, 7700).slots).toBe(10);
    expect(batchSize(SMALL, long, () => 512, 100)).toEqual({ slots: 1, places: 1, promptLength: 256 });
  });

  test('is one row for no requests at all', () => {
    expect(batchSize(SMALL, [], () => 16)).toEqual({ slots: 1, places: 1, promptLength: 16 });
  });
});
