import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeShared } from '@rl-playground/base/testing/shared';
import { ModelConfigError, parseModelConfig } from './config.ts';

const base = {
  model_type: 'llama',
  vocab_size: 32,
  hidden_size: 16,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  intermediate_size: 24,
};

describe('parseModelConfig', () => {
  it('fills the defaults of LlamaConfig', () => {
    expect(parseModelConfig(base)).toEqual({
      modelType: 'llama',
      vocabSize: 32,
      hiddenSize: 16,
      layers: 2,
      heads: 4,
      kvHeads: 4,
      headDim: 4,
      mlpSize: 24,
      mlp: 'swiglu',
      rmsEps: 1e-6,
      ropeTheta: 10000,
      ropeScaling: null,
      maxPositions: 2048,
      tiedHead: false,
      qkvBias: false,
      outBias: false,
      mlpBias: false,
      qkNorm: false,
    });
  });

  it('knows where each family puts biases and norms', () => {
    const flags = (changes: object) => {
      const { qkvBias, outBias, mlpBias, qkNorm } = parseModelConfig({ ...base, ...changes });
      return { qkvBias, outBias, mlpBias, qkNorm };
    };
    expect(flags({ attention_bias: true, mlp_bias: true })).toEqual({
      qkvBias: true,
      outBias: true,
      mlpBias: true,
      qkNorm: false,
    });
    expect(flags({ model_type: 'qwen2', attention_bias: false })).toEqual({
      qkvBias: true,
      outBias: false,
      mlpBias: false,
      qkNorm: false,
    });
    expect(flags({ model_type: 'qwen3' })).toEqual({
      qkvBias: false,
      outBias: false,
      mlpBias: false,
      qkNorm: true,
    });
    expect(flags({ model_type: 'qwen3', attention_bias: true })).toMatchObject({
      qkvBias: true,
      outBias: true,
    });
    expect(parseModelConfig({ ...base, model_type: 'qwen3' }).headDim).toBe(128);
  });

  it('reads RoPE scaling in the old, the middle and the new spelling', () => {
    const llama3 = {
      factor: 8,
      low_freq_factor: 1,
      high_freq_factor: 4,
      original_max_position_embeddings: 32,
    };
    const expected = {
      type: 'llama3',
      factor: 8,
      lowFreqFactor: 1,
      highFreqFactor: 4,
      originalMaxPositions: 32,
    };
    expect(parseModelConfig({ ...base, rope_scaling: { type: 'llama3', ...llama3 } }).ropeScaling).toEqual(
      expected,
    );
    expect(
      parseModelConfig({ ...base, rope_scaling: { rope_type: 'llama3', ...llama3 } }).ropeScaling,
    ).toEqual(expected);
    const newest = parseModelConfig({
      ...base,
      rope_parameters: { rope_type: 'llama3', rope_theta: 5e5, ...llama3 },
    });
    expect(newest.ropeScaling).toEqual(expected);
    expect(newest.ropeTheta).toBe(5e5);
    expect(
      parseModelConfig({ ...base, rope_scaling: { type: 'linear', factor: 4 } }).ropeScaling,
    ).toMatchObject({
      type: 'linear',
      factor: 4,
    });
    const plain = parseModelConfig({ ...base, rope_parameters: { rope_type: 'default', rope_theta: 1e6 } });
    expect(plain.ropeScaling).toBeNull();
    expect(plain.ropeTheta).toBe(1e6);
  });

  it('reads Arcee: ReLU without a gate, and the defaults of ArceeConfig', () => {
    const arcee = { ...base, model_type: 'arcee', hidden_act: 'relu' };
    expect(parseModelConfig(arcee)).toEqual({
      ...parseModelConfig(base),
      modelType: 'arcee',
      mlp: 'relu',
      rmsEps: 1e-5,
      maxPositions: 4096,
    });
    expect(
      parseModelConfig({ ...arcee, attention_bias: true, mlp_bias: true, sliding_window: 8 }),
    ).toMatchObject({ qkvBias: true, outBias: true, mlpBias: true, qkNorm: false });
  });

  it('ignores a sliding window that is switched off or longer than the context', () => {
    const qwen = { ...base, model_type: 'qwen2', sliding_window: 64, max_position_embeddings: 512 };
    expect(parseModelConfig({ ...qwen, use_sliding_window: false }).modelType).toBe('qwen2');
    expect(parseModelConfig({ ...qwen, use_sliding_window: true, max_window_layers: 2 }).modelType).toBe(
      'qwen2',
    );
    expect(
      parseModelConfig({ ...qwen, use_sliding_window: true, max_window_layers: 0, sliding_window: 512 })
        .modelType,
    ).toBe('qwen2');
  });

  it('takes a window that is null for none, whatever says that one is used', () => {
    const without = { ...base, sliding_window: null, max_position_embeddings: 512, max_window_layers: 0 };
    for (const model_type of ['qwen2', 'qwen3'])
      expect(parseModelConfig({ ...without, model_type, use_sliding_window: true }).modelType).toBe(
        model_type,
      );
    expect(parseModelConfig({ ...without, model_type: 'mistral' })).toMatchObject({
      modelType: 'mistral',
      headDim: 4,
      qkvBias: false,
      qkNorm: false,
    });
  });

  it.each([
    ['no object', 'text', /model_type/],
    ['no model type', {}, /model_type/],
    ['another architecture', { ...base, model_type: 'gemma2' }, /"gemma2".*llama, mistral, qwen2, qwen3/],
    ['another activation', { ...base, hidden_act: 'gelu' }, /"gelu".*silu/],
    ['ReLU behind a gate', { ...base, hidden_act: 'relu' }, /"relu".*silu/],
    [
      'a squared ReLU, which Arcee has where nothing is said',
      { ...base, model_type: 'arcee' },
      /"relu2"; supported is relu\./,
    ],
    ['yarn', { ...base, rope_scaling: { rope_type: 'yarn', factor: 4 } }, /"yarn".*linear and llama3/],
    ['dynamic', { ...base, rope_scaling: { type: 'dynamic', factor: 2 } }, /"dynamic"/],
    ['linear without factor', { ...base, rope_scaling: { type: 'linear' } }, /"factor"/],
    ['partial RoPE', { ...base, rope_parameters: { partial_rotary_factor: 0.5 } }, /0\.5.*supported is 1/],
    ['no size', { ...base, hidden_size: undefined }, /hidden_size/],
    ['a negative size', { ...base, vocab_size: -1 }, /vocab_size/],
    ['a fractional size', { ...base, num_hidden_layers: 1.5 }, /num_hidden_layers/],
    ['heads that do not divide', { ...base, num_key_value_heads: 3 }, /4 .*3/],
    ['hidden size that does not divide', { ...base, hidden_size: 18 }, /18.*4/],
    ['an odd head', { ...base, head_dim: 5 }, /even.*5/],
    [
      'a sliding window',
      {
        ...base,
        model_type: 'qwen2',
        use_sliding_window: true,
        max_window_layers: 1,
        sliding_window: 64,
      },
      /window of 64/,
    ],
    [
      'a window of Mistral’s, as long as it may be',
      { ...base, model_type: 'mistral', sliding_window: 4096, max_position_embeddings: 2048 },
      /sliding_window.*4096 positions/,
    ],
    ['Mistral without a word on its window', { ...base, model_type: 'mistral' }, /sliding_window.*4096/],
    [
      'a sliding window by layer',
      {
        ...base,
        model_type: 'qwen3',
        layer_types: ['full_attention', 'sliding_attention'],
        sliding_window: 32,
      },
      /window of 32/,
    ],
  ])('refuses %s', (_, json, message) => {
    expect(() => parseModelConfig(json)).toThrow(ModelConfigError);
    expect(() => parseModelConfig(json)).toThrow(message);
  });
});

describeShared('parseModelConfig on the reference models', 'refdata/models', (folder) => {
  const models = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  it.each(models.map((entry) => entry.name))('reads %s', (name) => {
    const json: unknown = JSON.parse(readFileSync(join(folder, name, 'config.json'), 'utf8'));
    expect(parseModelConfig(json)).toMatchObject({ maxPositions: 2048, mlpBias: false, outBias: false });
  });

  it('reads the values of a config with a head size of its own', () => {
    const json: unknown = JSON.parse(
      readFileSync(join(folder, 'qwen3-qknorm-headdim', 'config.json'), 'utf8'),
    );
    expect(parseModelConfig(json)).toMatchObject({
      modelType: 'qwen3',
      headDim: 16,
      hiddenSize: 40,
      heads: 4,
    });
  });
});
