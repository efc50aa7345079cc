/** Layers with windows, which keep keys and values of their windows alone, beside a float64 model that masks a whole text. */
import { describe, expect, test } from 'vitest';
import { drawsFor } from '@rl-playground/base/random';
import { parseModelConfig, type ModelConfig } from '../../model/config.ts';
import { initialWeights } from '../../model/initialize.ts';
import { packArrays } from '../../model/weights.ts';
import { referenceLogits } from '../../testing/decoderReference.ts';
import type { Decoder, GeneratorModel } from './decoder.ts';
import type { GroupRequest, SampledCompletion } from './types.ts';
import { weightsOf } from './weights.ts';

const VOCABULARY = 29;
const MAX_TOKENS = 50;
/** Longer than one part of a prefill on a GPU. */
const LONG_PROMPT = 280;
const MOST_ROUNDING = 2e-5;
const SAMPLING = { temperature: 1, topP: 1, topK: 0, maxTokens: MAX_TOKENS, stop: [] };
const breathe = (): Promise<void> => Promise.resolve();

/** Three layers of Gemma 3, of which the middle one sees everything. */
export const windowedConfig = (window: number): ModelConfig =>
  parseModelConfig({
    model_type: 'gemma3_text',
    num_hidden_layers: 3,
    intermediate_size: 40,
    vocab_size: VOCABULARY,
    hidden_size: 24,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    head_dim: 16,
    sliding_window: window,
    sliding_window_pattern: 2,
    query_pre_attn_scalar: 12,
  });

/** The same without windows. */
export const openConfig = (config: ModelConfig): ModelConfig => ({
  ...config,
  attention: config.attention.map((layer) => ({ ...layer, window: null })),
});

/** A decoder of such a model, with its weights. */
export function windowedDecoder(
  create: (model: GeneratorModel) => Decoder,
  config: ModelConfig,
  changes: Partial<GeneratorModel> = {},
): Decoder {
  const positions = LONG_PROMPT + MAX_TOKENS;
  const engine = create({ config, stopTokenIds: [5], positions, ...changes });
  engine.setWeights(weightsOf(config, packArrays(config, initialWeights(config, drawsFor(5))), 'f32'));
  return engine;
}

/** Groups whose prompts end before, at and behind an edge of the window and of a page. */
function requestsFor(window: number): GroupRequest[] {
  const draw = drawsFor(11);
  const lengths = [1, 15, 16, 17, window - 1, window, window + 1, window + 16, LONG_PROMPT];
  return [...new Set(lengths)]
    .filter((length) => length > 0)
    .map((length, problem) => ({
      promptIds: Array.from({ length }, () => Math.floor(VOCABULARY * draw())),
      samples: 3,
      seed: 3,
      step: 1,
      problem,
    }));
}

/** The largest difference of a completion's log-probabilities from those of a float64 model. */
function difference(
  config: ModelConfig,
  promptIds: readonly number[],
  { tokens, logprobs }: SampledCompletion,
): number {
  const weights = initialWeights(config, drawsFor(5));
  const rows = referenceLogits(config, weights, [...promptIds, ...tokens]);
  const differences = tokens.map((token, i) => {
    const row = rows[promptIds.length + i - 1] ?? [];
    const top = Math.max(...row);
    const total = row.reduce((sum, logit) => sum + Math.exp(logit - top), 0);
    return Math.abs((row[token] ?? NaN) - top - Math.log(total) - (logprobs[i] ?? NaN));
  });
  return Math.max(...differences);
}

/** Tests of one engine. */
export function windowSuite(create: (model: GeneratorModel) => Decoder, windows: readonly number[]): void {
  describe.each(windows)('a window of %i', (window) => {
    const config = windowedConfig(window);
    const requests = requestsFor(window);
    const generate = async (changes: Partial<GeneratorModel>): Promise<SampledCompletion[][]> => {
      const engine = windowedDecoder(create, config, changes);
      const groups = await engine.generate(requests, SAMPLING, { breathe });
      engine.dispose();
      return groups;
    };

    test('log-probabilities are those of the whole text through a mask, and not those without it', async () => {
      const groups = await generate({});
      requests.forEach(({ promptIds }, i) => {
        const [longest] = (groups[i] ?? []).toSorted((a, b) => b.tokens.length - a.tokens.length);
        if (!longest) throw new Error('Nothing was sampled.');
        const length = promptIds.length + longest.tokens.length;
        expect(difference(config, promptIds, longest), `${length} positions`).toBeLessThan(MOST_ROUNDING);
        if (promptIds.length < LONG_PROMPT && length > 2 * window)
          expect(difference(openConfig(config), promptIds, longest)).toBeGreaterThan(0.05);
      });
    });

    test('the room for keys and values changes no bit', async () => {
      const plenty = await generate({});
      for (const cacheBytes of [400_000, 0]) expect(await generate({ cacheBytes })).toEqual(plenty);
    });
  });
}
