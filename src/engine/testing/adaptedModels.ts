/** Small random models of each architecture with a random adapter, for tests: trained beside frozen weights, and merged. */
import type { RandomInputs } from '../kernels/testing/random.ts';
import { Adapter } from '../model/adapter.ts';
import { parseModelConfig, type ModelConfig } from '../model/config.ts';
import { LanguageModel, type TokenBatch } from '../model/languageModel.ts';
import { adapterSpecs, mergedConfig, type LoraSettings } from '../model/lora.ts';
import { mergeAdapter } from './mergeAdapter.ts';
import { ModelWeights, packArrays } from '../model/weights.ts';
import { huggingFaceSpecs } from '../model/parameters.ts';
import { TINY_CONFIGS } from './tinyModels.ts';

const POSITIONS = 32;

/**
 * Llama with its own head, Qwen2 with biases, Qwen3 with normed heads, these two with a tied head, Arcee with ReLU and biases, Gemma 3,
 * Granite, Granite 4, whose gate and up are one matrix, and SmolLM3.
 */
export const ARCHITECTURES = {
  llama: TINY_CONFIGS.gqa,
  qwen2: parseModelConfig({
    model_type: 'qwen2',
    num_hidden_layers: 2,
    intermediate_size: 36,
    vocab_size: 31,
    hidden_size: 16,
    num_attention_heads: 4,
    num_key_value_heads: 1,
    tie_word_embeddings: true,
  }),
  qwen3: TINY_CONFIGS.mha,
  arcee: TINY_CONFIGS.relu,
  gemma3: TINY_CONFIGS.gemma,
  granite: TINY_CONFIGS.granite,
  granite4: TINY_CONFIGS.granite4,
  smollm3: TINY_CONFIGS.smollm3,
} as const satisfies Readonly<Record<string, ModelConfig>>;

/**
 * The largest relative error of a central difference. A step crosses kinks of ReLU, which move it by some per cent; a wrong slope would
 * move it by half.
 */
export const slopeTolerance = ({ mlp }: ModelConfig): number => (mlp === 'relu' ? 0.15 : 3e-3);

/**
 * The largest difference that rounding makes between the adapted form and the merged one. Over 60 seeds on wasm it is at most 9.2e-6, on
 * trained weights and on random ones; an adapter without one of its maps is off by 0.027 and more.
 */
export const MOST_ROUNDING = 1e-4;

const sizeOf = (shape: readonly number[]): number => shape.reduce((product, extent) => product * extent, 1);

/** Matrices of variance 1 / inputs; norms that scale by about 1 and biases around 0, none of them constant. */
export function randomPool(config: ModelConfig, random: RandomInputs): Float32Array<ArrayBuffer> {
  const arrays = huggingFaceSpecs(config).map(({ name, shape }) => {
    const isMatrix = shape.length > 1;
    const data = random.floats(sizeOf(shape), isMatrix ? 1 / Math.sqrt(shape[1] ?? 1) : 0.2);
    if (!isMatrix && !name.endsWith('.bias'))
      data.forEach((value, i) => (data[i] = 1 - config.normShift + value));
    return [name, { data }] as const;
  });
  return packArrays(config, new Map(arrays));
}

/** Factors of an adapter: A as it begins, and B not zero, so that the product changes every output by some hundredths. */
export function randomAdapterPool(
  config: ModelConfig,
  settings: LoraSettings,
  random: RandomInputs,
): Float32Array<ArrayBuffer> {
  const specs = adapterSpecs(config, settings);
  const last = specs.at(-1);
  const pool = new Float32Array(last ? last.b.offset + sizeOf(last.b.shape) + 63 : 0);
  for (const { a, b } of specs) {
    pool.set(random.floats(sizeOf(a.shape), 1 / Math.sqrt(a.shape[0])), a.offset);
    pool.set(random.floats(sizeOf(b.shape), 0.05), b.offset);
  }
  return pool.slice(0, pool.length - (pool.length % 64));
}

export interface AdaptedPair {
  /** A model of frozen weights and an adapter. */
  readonly adapted: LanguageModel;
  /** The same function without an adapter; its weights are trained. */
  readonly merged: LanguageModel;
}

/** Makes both models. The caller disposes of them. */
export function adaptedPair(
  config: ModelConfig,
  settings: LoraSettings,
  pools: { readonly base: Float32Array; readonly adapter: Float32Array },
  positions = POSITIONS,
): AdaptedPair {
  const weights = new ModelWeights(config, pools.base);
  const merged = mergeAdapter(config, pools.base, pools.adapter, settings);
  return {
    adapted: new LanguageModel(weights, positions, new Adapter(config, settings, pools.adapter)),
    merged: new LanguageModel(new ModelWeights(mergedConfig(config, settings), merged), positions),
  };
}

export function randomTokens(config: ModelConfig, random: RandomInputs, batch = 3, length = 12): TokenBatch {
  const ids = () => random.ints(batch * length, config.vocabSize);
  return { batch, length, ids: ids(), targets: ids() };
}
