import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeShared } from '@rl-playground/base/testing/shared';
import { parseModelConfig } from './config.ts';
import { ModelConfigError } from './configFile.ts';

const base = {
  model_type: 'llama',
  vocab_size: 32,
  hidden_size: 16,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  intermediate_size: 24,
};

const PLAIN = { window: null, rope: { theta: 10_000, scaling: null } };
const ropeOf = (changes: object) => parseModelConfig({ ...base, ...changes }).attention[0]?.rope;
/** The window of each layer. */
const windowsOf = (json: object) => parseModelConfig(json).attention.map(({ window }) => window);

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
      fusedMlp: false,
      rmsEps: 1e-6,
      normShift: 0,
      normsBehind: false,
      attention: [PLAIN, PLAIN],
      attentionScale: 0.5,
      embeddingScale: 1,
      residualScale: 1,
      logitScale: 1,
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
    expect(ropeOf({ rope_scaling: { type: 'llama3', ...llama3 } })?.scaling).toEqual(expected);
    expect(ropeOf({ rope_scaling: { rope_type: 'llama3', ...llama3 } })?.scaling).toEqual(expected);
    expect(ropeOf({ rope_parameters: { rope_type: 'llama3', rope_theta: 5e5, ...llama3 } })).toEqual({
      theta: 5e5,
      scaling: expected,
    });
    expect(ropeOf({ rope_scaling: { type: 'linear', factor: 4 } })?.scaling).toMatchObject({
      type: 'linear',
      factor: 4,
    });
    expect(ropeOf({ rope_parameters: { rope_type: 'default', rope_theta: 1e6 } })).toEqual({
      theta: 1e6,
      scaling: null,
    });
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
    const none = [null, null];
    expect(windowsOf({ ...qwen, use_sliding_window: false })).toEqual(none);
    expect(windowsOf({ ...qwen, use_sliding_window: true, max_window_layers: 2 })).toEqual(none);
    const long = { ...qwen, use_sliding_window: true, max_window_layers: 0, sliding_window: 512 };
    expect(windowsOf(long)).toEqual(none);
    expect(windowsOf({ ...qwen, model_type: 'mistral', sliding_window: 512 })).toEqual(none);
  });

  it('takes a window that is null for none, whatever says that one is used', () => {
    const without = { ...base, sliding_window: null, max_position_embeddings: 512, max_window_layers: 0 };
    for (const model_type of ['qwen2', 'qwen3'])
      expect(windowsOf({ ...without, model_type, use_sliding_window: true })).toEqual([null, null]);
    expect(parseModelConfig({ ...without, model_type: 'mistral' })).toMatchObject({
      modelType: 'mistral',
      attention: [PLAIN, PLAIN],
      headDim: 4,
      qkvBias: false,
      qkNorm: false,
    });
  });

  it('reads the windows of Qwen and Mistral, layer by layer', () => {
    const long = { ...base, max_position_embeddings: 512, sliding_window: 64 };
    const qwen = { ...long, model_type: 'qwen2', use_sliding_window: true };
    expect(windowsOf({ ...qwen, max_window_layers: 1 })).toEqual([null, 64]);
    const types = ['sliding_attention', 'full_attention'];
    expect(windowsOf({ ...qwen, max_window_layers: 1, layer_types: types })).toEqual([64, null]);
    expect(windowsOf({ ...long, model_type: 'mistral' })).toEqual([64, 64]);
    expect(windowsOf({ ...base, model_type: 'mistral' })).toEqual([4096, 4096]);
  });

  it('reads Gemma 3 in the old and the new spelling, and its defaults', () => {
    const gemma = {
      ...base,
      model_type: 'gemma3_text',
      num_hidden_layers: 3,
      head_dim: 8,
      sliding_window: 16,
    };
    const local = { window: 16, rope: { theta: 10_000, scaling: null } };
    const old = parseModelConfig({
      ...gemma,
      sliding_window_pattern: 3,
      rope_theta: 5e5,
      rope_local_base_freq: 2e4,
      rope_scaling: { rope_type: 'linear', factor: 8 },
      query_pre_attn_scalar: 64,
    });
    const scaling = {
      type: 'linear',
      factor: 8,
      lowFreqFactor: 1,
      highFreqFactor: 1,
      originalMaxPositions: 131_072,
    };
    const ofOld = { ...local, rope: { theta: 2e4, scaling: null } };
    expect(old.attention).toEqual([ofOld, ofOld, { window: null, rope: { theta: 5e5, scaling } }]);
    expect(old).toMatchObject({
      mlp: 'geglu',
      attentionScale: 1 / 8,
      embeddingScale: 4,
      normShift: 1,
      normsBehind: true,
      qkNorm: true,
      tiedHead: true,
      qkvBias: false,
    });
    const recent = parseModelConfig({
      ...gemma,
      layer_types: ['sliding_attention', 'full_attention', 'sliding_attention'],
      rope_parameters: {
        full_attention: { rope_type: 'default', rope_theta: 1e6 },
        sliding_attention: { rope_type: 'default', rope_theta: 1e4 },
      },
    });
    const global = { window: null, rope: { theta: 1e6, scaling: null } };
    expect(recent.attention).toEqual([local, global, local]);
    expect(recent.attentionScale).toBe(1 / 16);
    const { attention } = parseModelConfig({ ...gemma, num_hidden_layers: 12 });
    expect(attention.map(({ window }) => window === null)).toEqual(
      Array.from({ length: 12 }, (_, layer) => layer === 5 || layer === 11),
    );
    expect(attention[0]).toEqual(local);
    expect(attention[5]).toEqual(global);
  });

  it('reads SmolLM3, some of whose layers have no RoPE', () => {
    const smol = { ...base, model_type: 'smollm3', num_hidden_layers: 4 };
    const ropes = (changes: object) =>
      parseModelConfig({ ...smol, ...changes }).attention.map(({ rope }) => rope?.theta ?? null);
    expect(ropes({})).toEqual([2e6, 2e6, 2e6, null]);
    expect(ropes({ no_rope_layer_interval: 2, rope_theta: 5e6 })).toEqual([5e6, null, 5e6, null]);
    expect(ropes({ no_rope_layers: [0, 1, 1, 0] })).toEqual([null, 2e6, 2e6, null]);
    const window = { use_sliding_window: true, sliding_window: 64 };
    expect(windowsOf({ ...smol, ...window })).toEqual([null, null, null, 64]);
    expect(parseModelConfig(smol)).toMatchObject({ tiedHead: true, maxPositions: 32_768 });
  });

  it('reads the four factors of Granite', () => {
    const granite = { ...base, model_type: 'granite' };
    const factors = {
      embedding_multiplier: 12,
      attention_multiplier: 0.015625,
      residual_multiplier: 0.22,
      logits_scaling: 8,
    };
    expect(parseModelConfig({ ...granite, ...factors })).toMatchObject({
      embeddingScale: 12,
      attentionScale: 0.015625,
      residualScale: 0.22,
      logitScale: 0.125,
    });
    expect(parseModelConfig(granite)).toMatchObject({ attentionScale: 1, logitScale: 1 });
    const dense = {
      ...granite,
      ...factors,
      model_type: 'granitemoehybrid',
      layer_types: ['attention', 'attention'],
      num_local_experts: 0,
      shared_intermediate_size: 40,
    };
    expect(parseModelConfig(dense)).toMatchObject({ fusedMlp: true, mlpSize: 40, residualScale: 0.22 });
    expect(parseModelConfig(dense).attention[0]?.rope).toBeNull();
    expect(parseModelConfig({ ...dense, position_embedding_type: 'rope' }).attention).toEqual([PLAIN, PLAIN]);
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
      'layers with a window that is switched off',
      {
        ...base,
        model_type: 'qwen3',
        layer_types: ['full_attention', 'sliding_attention'],
        sliding_window: 32,
      },
      /no window is in use.*use_sliding_window/,
    ],
    ['half a position', { ...base, model_type: 'mistral', sliding_window: 8.5 }, /sliding_window is 8\.5/],
    [
      'layers of another kind',
      { ...base, model_type: 'qwen2', layer_types: ['full_attention', 'linear_attention'] },
      /layer_types has "linear_attention"/,
    ],
    [
      'types for other layers',
      { ...base, model_type: 'qwen2', layer_types: ['full_attention'] },
      /names 1 layers, and num_hidden_layers is 2/,
    ],
    [
      'Granite 4 with state space layers',
      { ...base, model_type: 'granitemoehybrid', layer_types: ['attention', 'mamba'] },
      /layer_types has "mamba"; state space layers are missing/,
    ],
    [
      'Granite 4 with experts',
      { ...base, model_type: 'granitemoehybrid', layer_types: ['attention', 'attention'] },
      /num_local_experts is 8; a mixture of experts is missing/,
    ],
    [
      'a mixture of experts',
      { ...base, model_type: 'granitemoe' },
      /"granitemoe", with a mixture of experts/,
    ],
    ['Gemma 3 with images', { ...base, model_type: 'gemma3' }, /images beside text \(gemma3_text/],
    [
      'soft-capped logits',
      { ...base, model_type: 'gemma3_text', final_logit_softcapping: 30 },
      /final_logit_softcapping is 30.*soft-capped logits/,
    ],
    [
      'attention in both directions',
      { ...base, model_type: 'gemma3_text', use_bidirectional_attention: true },
      /later positions/,
    ],
    [
      'Gemma with another activation',
      { ...base, model_type: 'gemma3_text', hidden_activation: 'silu' },
      /"silu"; supported is gelu_pytorch_tanh/,
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
