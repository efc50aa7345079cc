import { describe, expect, it } from 'vitest';
import { parseModelConfig } from './config.ts';
import { parameterCount, parameterSpecs } from './parameters.ts';

const base = {
  model_type: 'llama',
  vocab_size: 11,
  hidden_size: 8,
  num_hidden_layers: 1,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  intermediate_size: 12,
  tie_word_embeddings: true,
};

describe('parameterSpecs', () => {
  it('lists a tied Llama in order with both layouts', () => {
    const rows = parameterSpecs(parseModelConfig(base)).map((spec) => [
      spec.name,
      spec.hfShape.join('x'),
      spec.shape.join('x'),
      spec.decay,
    ]);
    expect(rows).toEqual([
      ['model.embed_tokens.weight', '11x8', '11x8', true],
      ['model.layers.0.input_layernorm.weight', '8', '8', false],
      ['model.layers.0.self_attn.q_proj.weight', '8x8', '8x8', true],
      ['model.layers.0.self_attn.k_proj.weight', '4x8', '8x4', true],
      ['model.layers.0.self_attn.v_proj.weight', '4x8', '8x4', true],
      ['model.layers.0.self_attn.o_proj.weight', '8x8', '8x8', true],
      ['model.layers.0.post_attention_layernorm.weight', '8', '8', false],
      ['model.layers.0.mlp.gate_proj.weight', '12x8', '8x12', true],
      ['model.layers.0.mlp.up_proj.weight', '12x8', '8x12', true],
      ['model.layers.0.mlp.down_proj.weight', '8x12', '12x8', true],
      ['model.norm.weight', '8', '8', false],
    ]);
  });

  it('counts by hand: embedding 88, block 2·64 + 2·32 + 3·96 + 2·8, final norm 8', () => {
    expect(parameterCount(parseModelConfig(base))).toBe(88 + 128 + 64 + 288 + 16 + 8);
    expect(parameterCount(parseModelConfig({ ...base, tie_word_embeddings: false }))).toBe(592 + 88);
  });

  it('adds biases and head norms where the family has them', () => {
    const names = (changes: object) =>
      parameterSpecs(parseModelConfig({ ...base, ...changes })).map((s) => s.name);
    const added = (changes: object) => names(changes).filter((name) => !names({}).includes(name));
    expect(added({ model_type: 'qwen2' })).toEqual(
      ['q', 'k', 'v'].map((x) => `model.layers.0.self_attn.${x}_proj.bias`),
    );
    expect(added({ model_type: 'qwen3' })).toEqual(
      ['q', 'k'].map((x) => `model.layers.0.self_attn.${x}_norm.weight`),
    );
    expect(added({ attention_bias: true, mlp_bias: true })).toHaveLength(7);
    expect(added({ tie_word_embeddings: false })).toEqual(['lm_head.weight']);
  });

  it('shapes query, key and head norm by a head size of its own', () => {
    const specs = new Map(
      parameterSpecs(parseModelConfig({ ...base, model_type: 'qwen3', head_dim: 6 })).map((s) => [s.name, s]),
    );
    expect(specs.get('model.layers.0.self_attn.q_proj.weight')).toMatchObject({
      hfShape: [24, 8],
      shape: [8, 24],
    });
    expect(specs.get('model.layers.0.self_attn.o_proj.weight')).toMatchObject({
      hfShape: [8, 24],
      shape: [24, 8],
    });
    expect(specs.get('model.layers.0.self_attn.k_norm.weight')).toMatchObject({ hfShape: [6], decay: false });
  });
});
