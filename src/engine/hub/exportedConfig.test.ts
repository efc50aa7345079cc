import { describe, expect, it } from 'vitest';
import { exportedConfig } from './exportedConfig.ts';

const AS_STORED = { dtype: 'float32', tied: true };
const LLAMA3 = {
  factor: 8,
  low_freq_factor: 1,
  high_freq_factor: 4,
  original_max_position_embeddings: 64,
};

describe('exportedConfig', () => {
  it.each([
    [
      'newer, plain',
      { rope_parameters: { rope_theta: 1e6, rope_type: 'default' } },
      { rope_theta: 1e6, rope_scaling: null, rope_parameters: { rope_theta: 1e6, rope_type: 'default' } },
    ],
    [
      'newer, scaled',
      { rope_parameters: { ...LLAMA3, rope_theta: 5e5, rope_type: 'llama3' } },
      {
        rope_theta: 5e5,
        rope_scaling: { ...LLAMA3, rope_type: 'llama3' },
        rope_parameters: { ...LLAMA3, rope_theta: 5e5, rope_type: 'llama3' },
      },
    ],
    [
      'older, plain',
      { rope_theta: 1e5, rope_scaling: null },
      { rope_theta: 1e5, rope_scaling: null, rope_parameters: { rope_theta: 1e5, rope_type: 'default' } },
    ],
    [
      'oldest, scaled',
      { rope_theta: 1e5, rope_scaling: { type: 'linear', factor: 4 } },
      {
        rope_theta: 1e5,
        rope_scaling: { factor: 4, rope_type: 'linear' },
        rope_parameters: { factor: 4, rope_theta: 1e5, rope_type: 'linear' },
      },
    ],
    [
      'none',
      {},
      { rope_theta: 1e4, rope_scaling: null, rope_parameters: { rope_theta: 1e4, rope_type: 'default' } },
    ],
  ])('has RoPE in both spellings: %s', (_, rope, expected) => {
    const exported = exportedConfig({ model_type: 'llama', vocab_size: 7, ...rope }, AS_STORED);
    expect(exported).toEqual({
      model_type: 'llama',
      vocab_size: 7,
      ...expected,
      dtype: 'float32',
      torch_dtype: 'float32',
      tie_word_embeddings: true,
    });
  });

  it('says what the weights are stored as, whatever was said before', () => {
    const before = { dtype: 'bfloat16', torch_dtype: 'bfloat16', tie_word_embeddings: true };
    expect(exportedConfig(before, { dtype: 'float32', tied: false })).toEqual({
      dtype: 'float32',
      torch_dtype: 'float32',
      tie_word_embeddings: false,
    });
  });
});
