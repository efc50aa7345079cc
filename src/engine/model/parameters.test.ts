import { describe, expect, it } from 'vitest';
import { parseModelConfig } from './config.ts';
import {
  decayedLength,
  huggingFaceSpecs,
  packedLength,
  parameterCount,
  parameterSpecs,
} from './parameters.ts';

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
  it('places matrices, then vectors, each at a multiple of 64 floats', () => {
    const rows = parameterSpecs(parseModelConfig(base)).map((spec) => [
      spec.name,
      spec.shape.join('x'),
      spec.decay,
      spec.offset,
    ]);
    expect(rows).toEqual([
      ['model.embed_tokens.weight', '11x8', true, 0],
      ['model.layers.0.self_attn.qkv_proj.weight', '8x16', true, 128],
      ['model.layers.0.self_attn.o_proj.weight', '8x8', true, 256],
      ['model.layers.0.mlp.gate_up_proj.weight', '8x24', true, 320],
      ['model.layers.0.mlp.down_proj.weight', '12x8', true, 512],
      ['model.layers.0.input_layernorm.weight', '8', false, 640],
      ['model.layers.0.post_attention_layernorm.weight', '8', false, 704],
      ['model.norm.weight', '8', false, 768],
    ]);
    expect(decayedLength(parseModelConfig(base))).toBe(640);
    expect(packedLength(parseModelConfig(base))).toBe(832);
  });

  it('counts by hand: embedding 88, block 2·64 + 2·32 + 3·96 + 2·8, final norm 8', () => {
    expect(parameterCount(parseModelConfig(base))).toBe(88 + 128 + 64 + 288 + 16 + 8);
    expect(parameterCount(parseModelConfig({ ...base, tie_word_embeddings: false }))).toBe(592 + 88);
  });

  it('says which columns of a matrix each tensor of the file fills', () => {
    const specs = parameterSpecs(parseModelConfig({ ...base, model_type: 'qwen3', head_dim: 6 }));
    const parts = (name: string) => specs.find((spec) => spec.name === `model.layers.0.${name}`)?.parts;
    expect(parts('self_attn.qkv_proj.weight')).toEqual([
      { name: 'model.layers.0.self_attn.q_proj.weight', shape: [24, 8], column: 0, columns: 24 },
      { name: 'model.layers.0.self_attn.k_proj.weight', shape: [12, 8], column: 24, columns: 12 },
      { name: 'model.layers.0.self_attn.v_proj.weight', shape: [12, 8], column: 36, columns: 12 },
    ]);
    expect(parts('self_attn.k_norm.weight')).toEqual([
      { name: 'model.layers.0.self_attn.k_norm.weight', shape: [6], column: 0, columns: 6 },
    ]);
  });
});

describe('huggingFaceSpecs', () => {
  it('lists a tied Llama in order of use', () => {
    const rows = huggingFaceSpecs(parseModelConfig(base)).map(({ name, shape }) => [name, shape.join('x')]);
    expect(rows).toEqual([
      ['model.embed_tokens.weight', '11x8'],
      ['model.layers.0.input_layernorm.weight', '8'],
      ['model.layers.0.self_attn.q_proj.weight', '8x8'],
      ['model.layers.0.self_attn.k_proj.weight', '4x8'],
      ['model.layers.0.self_attn.v_proj.weight', '4x8'],
      ['model.layers.0.self_attn.o_proj.weight', '8x8'],
      ['model.layers.0.post_attention_layernorm.weight', '8'],
      ['model.layers.0.mlp.gate_proj.weight', '12x8'],
      ['model.layers.0.mlp.up_proj.weight', '12x8'],
      ['model.layers.0.mlp.down_proj.weight', '8x12'],
      ['model.norm.weight', '8'],
    ]);
  });

  it('adds biases and head norms where the family has them', () => {
    const names = (changes: object) =>
      huggingFaceSpecs(parseModelConfig({ ...base, ...changes })).map((s) => s.name);
    const added = (changes: object) => names(changes).filter((name) => !names({}).includes(name));
    expect(added({ model_type: 'qwen2' })).toEqual(
      ['q', 'k', 'v'].map((x) => `model.layers.0.self_attn.${x}_proj.bias`),
    );
    expect(added({ model_type: 'qwen3' })).toEqual(
      ['q', 'k'].map((x) => `model.layers.0.self_attn.${x}_norm.weight`),
    );
    expect(added({ attention_bias: true, mlp_bias: true })).toHaveLength(7);
    expect(added({ tie_word_embeddings: false })).toEqual(['lm_head.weight']);
    const arcee = { model_type: 'arcee', hidden_act: 'relu', mlp_bias: true };
    expect(names({}).filter((name) => !names(arcee).includes(name))).toEqual([
      'model.layers.0.mlp.gate_proj.weight',
    ]);
    expect(added(arcee)).toEqual(['up', 'down'].map((x) => `model.layers.0.mlp.${x}_proj.bias`));
  });
});
