/** Tiny models with random weights, made on the spot. A seed fixes every draw, so both backends get the same model. */
import { parseModelConfig, type ModelConfig } from '../model/config.ts';
import { initialWeights } from '../model/initialize.ts';
import { LanguageModel } from '../model/languageModel.ts';
import { ModelWeights, packArrays } from '../model/weights.ts';
import type { GeneratorModel } from '../rollout/decoding/decoder.ts';
import { drawsFor } from '@rl-playground/base/random';

const base = { model_type: 'llama', num_hidden_layers: 2, intermediate_size: 40, vocab_size: 29 };

/**
 * Configurations that take different paths on a GPU: grouped-query with an untied head, multi-head with a tied one and normed heads,
 * ReLU in place of the gate, with biases; Gemma 3 with a window shorter than most prompts, Granite with its factors, and SmolLM3 with a
 * layer without RoPE.
 */
export const TINY_CONFIGS = {
  gqa: parseModelConfig({
    ...base,
    hidden_size: 24,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    head_dim: 8,
    tie_word_embeddings: false,
  }),
  mha: parseModelConfig({
    ...base,
    model_type: 'qwen3',
    hidden_size: 20,
    num_attention_heads: 3,
    num_key_value_heads: 3,
    head_dim: 8,
    tie_word_embeddings: true,
  }),
  relu: parseModelConfig({
    ...base,
    model_type: 'arcee',
    hidden_act: 'relu',
    num_hidden_layers: 1,
    hidden_size: 16,
    num_attention_heads: 2,
    num_key_value_heads: 2,
    attention_bias: true,
    mlp_bias: true,
    tie_word_embeddings: false,
  }),
  gemma: parseModelConfig({
    ...base,
    model_type: 'gemma3_text',
    hidden_size: 24,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    head_dim: 16,
    sliding_window: 11,
    sliding_window_pattern: 2,
    query_pre_attn_scalar: 12,
  }),
  granite: parseModelConfig({
    ...base,
    model_type: 'granite',
    hidden_size: 16,
    num_attention_heads: 2,
    num_key_value_heads: 1,
    embedding_multiplier: 3,
    attention_multiplier: 0.4,
    residual_multiplier: 0.6,
    logits_scaling: 0.5,
  }),
  granite4: parseModelConfig({
    ...base,
    model_type: 'granitemoehybrid',
    hidden_size: 16,
    num_attention_heads: 2,
    num_key_value_heads: 1,
    shared_intermediate_size: 24,
    num_local_experts: 0,
    layer_types: ['attention', 'attention'],
    residual_multiplier: 0.6,
  }),
  smollm3: parseModelConfig({
    ...base,
    model_type: 'smollm3',
    hidden_size: 24,
    num_attention_heads: 3,
    num_key_value_heads: 1,
    no_rope_layers: [1, 0],
  }),
} as const satisfies Readonly<Record<string, ModelConfig>>;

export type TinyKind = keyof typeof TINY_CONFIGS;
export const TINY_KINDS: readonly TinyKind[] = [
  'gqa',
  'mha',
  'relu',
  'gemma',
  'granite',
  'granite4',
  'smollm3',
];

/** The longest padded sequence of a tiny model. */
export const TINY_POSITIONS = 96;

/** A tiny model on the current backend. The caller disposes of it. */
export function tinyModel(kind: TinyKind, seed = 1): LanguageModel {
  const config = TINY_CONFIGS[kind];
  const weights = ModelWeights.fromHuggingFace(config, initialWeights(config, drawsFor(seed)));
  return new LanguageModel(weights, TINY_POSITIONS);
}

/** The weights of `tinyModel` as one pool. */
export function tinyPool(kind: TinyKind, seed = 1): Float32Array<ArrayBuffer> {
  const config = TINY_CONFIGS[kind];
  return packArrays(config, initialWeights(config, drawsFor(seed)));
}

/** The start parameters of a generator of a tiny model, and the packed weights to hand to it. */
export async function tinyGeneratorModel(
  kind: TinyKind,
  stopTokenIds: readonly number[],
): Promise<{ model: GeneratorModel; packed: Float32Array }> {
  const policy = tinyModel(kind);
  const packed = await policy.pool.pack();
  policy.dispose();
  return { model: { config: TINY_CONFIGS[kind], stopTokenIds, positions: TINY_POSITIONS }, packed };
}

/** `count` different prompts of 1 to 40 tokens. */
export function tinyPrompts(count: number): number[][] {
  const draw = drawsFor(7);
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + Math.floor(40 * draw()) }, () => Math.floor(29 * draw())),
  );
}
