import { expect, test } from 'vitest';
import { parseModelConfig, type StoredType } from '@rl-playground/engine/parts';
import { defaultConfig } from '../settings/presets/presets.ts';
import { modelBytes } from './bytes.ts';

test('a file of several types keeps the blocks of each, counted by hand', () => {
  const config = parseModelConfig({
    model_type: 'llama',
    hidden_size: 512,
    intermediate_size: 1024,
    num_hidden_layers: 1,
    num_attention_heads: 8,
    num_key_value_heads: 2,
    vocab_size: 49_152,
    tie_word_embeddings: true,
  });
  const layer = 'model.layers.0';
  const storedTypes = new Map<string, StoredType>([
    ['model.embed_tokens.weight', 'Q8_0'],
    [`${layer}.self_attn.v_proj.weight`, 'Q6_K'],
    [`${layer}.mlp.down_proj.weight`, 'Q5_0'],
  ]);
  const settings = { ...defaultConfig('sum_digits'), loraRank: 8, baseFormat: 'auto' } as const;
  const { base } = modelBytes({ config, storedType: 'Q4_K', storedTypes, promptTokens: null }, settings);
  const q4k = (rows: number) => rows * 2 * 144;
  const matrices =
    49_152 * 16 * 34 + // embedding
    (q4k(512) + q4k(128) + 128 * 2 * 210) + // q, k and v
    q4k(512) + // o
    q4k(2048) + // gate and up
    512 * 32 * 22; // down, 1024 columns in blocks of 32
  expect(base).toBe(matrices + 4 * 3 * 512);
});
