/** Memory that gives way where there is little of it. */
import { describe, expect, test } from 'vitest';
import { defaultConfig } from '../settings/presets/presets.ts';
import { parseModelConfig, CACHE_BYTES } from '@rl-playground/engine/parts';
import { ACTIVATION_BUDGET } from '@rl-playground/engine/parts/tensors';
import { UNKNOWN_LIMITS } from './limits.ts';
import { memoryBudgets, planRun, type PlanRequest } from './plan.ts';

const REQUEST: PlanRequest = {
  model: {
    config: parseModelConfig({
      model_type: 'llama',
      hidden_size: 576,
      intermediate_size: 1536,
      num_hidden_layers: 30,
      num_attention_heads: 9,
      num_key_value_heads: 3,
      vocab_size: 49152,
      tie_word_embeddings: true,
    }),
    storedType: 'BF16',
    promptTokens: 100,
  },
  config: {
    ...defaultConfig('sum_digits'),
    loraRank: 32,
    numGenerators: 2,
    problemsPerStep: 8,
    rolloutsPerProblem: 16,
    maxTokens: 128,
  },
  limits: UNKNOWN_LIMITS,
  backend: 'wasm',
  rates: null,
};
const USUAL = { cacheBytes: CACHE_BYTES, activationBytes: ACTIVATION_BUDGET };
const withHost = (hostBytes: number): PlanRequest => ({
  ...REQUEST,
  limits: { ...UNKNOWN_LIMITS, hostBytes },
});

test('where all is there, or nobody knows, they are the usual ones', () => {
  const { peak } = planRun(REQUEST);
  expect(memoryBudgets(REQUEST)).toEqual(USUAL);
  expect(memoryBudgets(withHost(peak.host))).toEqual(USUAL);
  expect(memoryBudgets({ ...withHost(2 ** 30), backend: 'webgpu' })).toEqual(USUAL);
});

test('a reward model is counted where its copies lie', () => {
  const MB = 10 ** 6;
  const peakOf = (request: PlanRequest) => planRun(request).peak;
  const [without, beside] = [peakOf(REQUEST), peakOf({ ...REQUEST, rewardBytes: 67 * MB })];
  expect(beside.host - without.host).toBe(3 * 67 * MB + 64 * 2 ** 20);
  const onGpu = { ...REQUEST, backend: 'webgpu' as const };
  const [plain, gpu] = [peakOf(onGpu), peakOf({ ...onGpu, rewardBytes: 67 * MB })];
  expect(gpu.gpu - plain.gpu).toBe(67 * MB);
  expect(gpu.host - plain.host).toBe(2 * 67 * MB + 64 * 2 ** 20);
});

describe('on a GPU whose memory somebody names', () => {
  const onGpu = (gpuBytes: number | null): PlanRequest => ({
    ...REQUEST,
    backend: 'webgpu',
    limits: { ...UNKNOWN_LIMITS, gpuBytes },
  });
  const { peak } = planRun(onGpu(null));

  test('they give way where the usual ones do not fit, and then it fits', () => {
    const request = onGpu(peak.gpu - 2 ** 28);
    const { cacheBytes, activationBytes } = memoryBudgets(request);
    expect(cacheBytes).toBeLessThan(CACHE_BYTES);
    expect(activationBytes).toBeLessThan(ACTIVATION_BUDGET);
    expect(planRun(onGpu(peak.gpu)).fits).toBe(true);
    const plan = planRun(request);
    expect(plan.peak.gpu).toBeLessThan(peak.gpu);
    expect(plan.fits).toBe(true);
  });

  test('they grow where there is room, until nothing waits and no block is run again, and leave a quarter', () => {
    expect(memoryBudgets(onGpu(peak.gpu + 1))).toEqual(USUAL);
    const peaks = [2, 4, 8, 1024].map((times) => {
      const limit = times * peak.gpu;
      const { peak: taken, fits } = planRun(onGpu(limit));
      expect(fits).toBe(true);
      expect(taken.gpu).toBeLessThanOrEqual(0.75 * limit);
      return taken.gpu;
    });
    expect(peaks).toEqual([...peaks].sort((a, b) => a - b));
    expect(peaks[0]).toBeGreaterThan(peak.gpu);
    expect(peaks[3]).toBe(peaks[2]);
  });
});

test('where memory is short, keys and values and activations give way by the same share, and it fits', () => {
  const { peak, items } = planRun(REQUEST);
  const kept = items.find(({ name }) => name.startsWith('keys and values'))?.bytes ?? 0;
  for (const missing of [2 ** 26, 2 ** 28]) {
    const request = withHost(peak.host - missing);
    const { cacheBytes, activationBytes } = memoryBudgets(request);
    expect(2 * cacheBytes).toBeLessThan(kept);
    expect(activationBytes).toBeLessThan(ACTIVATION_BUDGET);
    // Whole blocks and pages are left out, and one block is run again.
    const saved = peak.host - planRun(request).peak.host;
    expect(saved / missing).toBeGreaterThan(0.5);
  }
});

test('keys and values of layers with windows are counted for their windows', () => {
  const model = {
    storedType: 'BF16',
    promptTokens: 100,
    config: parseModelConfig({
      model_type: 'gemma3_text',
      hidden_size: 64,
      intermediate_size: 64,
      num_hidden_layers: 6,
      num_attention_heads: 2,
      num_key_value_heads: 1,
      head_dim: 32,
      vocab_size: 100,
      sliding_window: 32,
    }),
  } as const;
  const config = {
    ...REQUEST.config,
    numGenerators: 1,
    problemsPerStep: 1,
    rolloutsPerProblem: 4,
    maxTokens: 129,
    evalSamples: 1,
    passAtK: 1,
  };
  const { items } = planRun({ ...REQUEST, model, config, backend: 'webgpu' });
  // A layer that sees all has 7 pages of the prompt and 8 of each row, one with a window 3 of each and 4 for the prefill; and a quarter more.
  expect(items.find(({ name }) => name === 'keys and values')?.bytes).toBe((49 + 5 * 24) * 4096);
});
