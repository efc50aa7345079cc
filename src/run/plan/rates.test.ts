import { beforeEach, describe, expect, it, vi } from 'vitest';
import { parseModelConfig } from '@rl-playground/engine/parts';
import { defaultConfig } from '../settings/presets/presets.ts';
import { estimateStep } from './estimate.ts';
import { keepBenchmarkRates, keepRates, keptRates } from './rates.ts';
import type { PlannedModel } from './types.ts';

/** A model of 96 + 496 · layers parameters: 592, 2,080 and 2,576 with one, four and five. */
const modelOf = (layers: number): PlannedModel => ({
  config: parseModelConfig({
    model_type: 'llama',
    vocab_size: 11,
    hidden_size: 8,
    intermediate_size: 12,
    num_hidden_layers: layers,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    max_position_embeddings: 64,
    tie_word_embeddings: true,
    rms_norm_eps: 1e-6,
  }),
  storedType: 'F32',
  promptTokens: 20,
});
const BATCH = { weights: 592, tokens: 100, secondsSampling: 2, secondsUpdate: 4 };
/** 2 · 592 · 100 / 2 and 6 · 592 · 100 / 4. */
const RATES = { decodeFlops: 59_200, trainFlops: 88_800 };
const OF_A_RUN = { decodeFlops: 1e9, trainFlops: 2e9 };

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => kept.set(key, text),
  });
  return () => vi.unstubAllGlobals();
});

describe('the speed of a benchmark', () => {
  it('is the operations of its answers and of its update in their times, and is known of its device alone', () => {
    expect(keptRates('A GPU', modelOf(1))).toBeNull();
    keepBenchmarkRates('A GPU', BATCH);
    expect(keptRates('A GPU', modelOf(1))).toEqual(RATES);
    expect(keptRates('Another GPU', modelOf(1))).toBeNull();
  });

  it('tells how long a step takes', () => {
    keepBenchmarkRates('A GPU', BATCH);
    const config = {
      ...defaultConfig('reverse_digits'),
      problemsPerStep: 1,
      rolloutsPerProblem: 8,
      maxTokens: 10,
    };
    const shape = { promptTokens: 20 };
    const { seconds } = estimateStep(modelOf(1), config, shape, keptRates('A GPU', modelOf(1)));
    // 20 + 8 · 10 tokens are written as before, 2 s; a step goes through them 8 times where the update did 6 times, 4 · 8 / 6 s.
    expect(seconds).toBeCloseTo(2 + (4 * 8) / 6, 10);
  });

  it('is not told of models with more than four times its parameters', () => {
    keepBenchmarkRates('A GPU', BATCH);
    expect(keptRates('A GPU', modelOf(4))).toEqual(RATES);
    expect(keptRates('A GPU', modelOf(5))).toBeNull();
  });

  it('gives way to that of a run, which holds for every model, and does not replace it', () => {
    keepBenchmarkRates('A GPU', BATCH);
    keepRates('A GPU', OF_A_RUN);
    keepBenchmarkRates('A GPU', BATCH);
    expect(keptRates('A GPU', modelOf(5))).toEqual(OF_A_RUN);
    keepBenchmarkRates('Another GPU', BATCH);
    expect(keptRates('Another GPU', modelOf(1))).toEqual(RATES);
  });

  it('is forgotten by another version', () => {
    keepBenchmarkRates('A GPU', BATCH);
    const text = localStorage.getItem('rl-playground.rates') ?? '';
    localStorage.setItem('rl-playground.rates', text.replace(/"version":"[^"]*"/, '"version":"0.0.0"'));
    expect(keptRates('A GPU', modelOf(1))).toBeNull();
  });
});
