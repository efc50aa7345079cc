/** Architectures of published models, for random weights of their size: what each model's config.json says of its shape. */

const llama = {
  architectures: ['LlamaForCausalLM'],
  model_type: 'llama',
  hidden_act: 'silu',
  rms_norm_eps: 1e-5,
  tie_word_embeddings: true,
};

export const SHAPES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'smollm2-135m': {
    ...llama,
    vocab_size: 49152,
    hidden_size: 576,
    num_hidden_layers: 30,
    num_attention_heads: 9,
    num_key_value_heads: 3,
    intermediate_size: 1536,
    max_position_embeddings: 8192,
    rope_theta: 100000,
  },
  'smollm2-360m': {
    ...llama,
    vocab_size: 49152,
    hidden_size: 960,
    num_hidden_layers: 32,
    num_attention_heads: 15,
    num_key_value_heads: 5,
    intermediate_size: 2560,
    max_position_embeddings: 8192,
    rope_theta: 100000,
  },
  'qwen2.5-0.5b': {
    architectures: ['Qwen2ForCausalLM'],
    model_type: 'qwen2',
    hidden_act: 'silu',
    rms_norm_eps: 1e-6,
    tie_word_embeddings: true,
    vocab_size: 151936,
    hidden_size: 896,
    num_hidden_layers: 24,
    num_attention_heads: 14,
    num_key_value_heads: 2,
    intermediate_size: 4864,
    max_position_embeddings: 32768,
    rope_theta: 1000000,
  },
  'llama-3.2-1b': {
    ...llama,
    vocab_size: 128256,
    hidden_size: 2048,
    num_hidden_layers: 16,
    num_attention_heads: 32,
    num_key_value_heads: 8,
    head_dim: 64,
    intermediate_size: 8192,
    max_position_embeddings: 131072,
    rope_theta: 500000,
    rope_scaling: {
      rope_type: 'llama3',
      factor: 32,
      low_freq_factor: 1,
      high_freq_factor: 4,
      original_max_position_embeddings: 8192,
    },
  },
};
export const SHAPE_NAMES: readonly string[] = Object.keys(SHAPES);
