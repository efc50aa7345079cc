import { describe, expect, it } from 'vitest';
import { parseModelConfig } from './config.ts';
import {
  adapterLength,
  adapterParameterCount,
  adapterSpecs,
  LoraError,
  mergedConfig,
  peftSpecs,
  type LoraSettings,
} from './lora.ts';
import { LORA_TARGETS, type LoraTarget } from './loraTargets.ts';

const config = parseModelConfig({
  model_type: 'llama',
  vocab_size: 11,
  hidden_size: 8,
  num_hidden_layers: 1,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  intermediate_size: 12,
  tie_word_embeddings: true,
});

const all: LoraSettings = { rank: 2, alpha: 4, targets: LORA_TARGETS };

describe('adapterSpecs', () => {
  it('places A before B, module by module, each at a multiple of 64 floats', () => {
    const rows = adapterSpecs(config, all).map(({ module, a, b, parameter, column, outputsFirst }) => [
      module.replace('model.layers.0.', ''),
      `${a.shape.join('x')} at ${a.offset}`,
      `${b.shape.join('x')} at ${b.offset}`,
      `${parameter.replace('model.layers.0.', '')} from ${column}`,
      outputsFirst,
    ]);
    expect(rows).toEqual([
      ['self_attn.q_proj', '8x2 at 0', '2x8 at 64', 'self_attn.qkv_proj.weight from 0', false],
      ['self_attn.k_proj', '8x2 at 128', '2x4 at 192', 'self_attn.qkv_proj.weight from 8', false],
      ['self_attn.v_proj', '8x2 at 256', '2x4 at 320', 'self_attn.qkv_proj.weight from 12', false],
      ['self_attn.o_proj', '8x2 at 384', '2x8 at 448', 'self_attn.o_proj.weight from 0', false],
      ['mlp.gate_proj', '8x2 at 512', '2x12 at 576', 'mlp.gate_up_proj.weight from 0', false],
      ['mlp.up_proj', '8x2 at 640', '2x12 at 704', 'mlp.gate_up_proj.weight from 12', false],
      ['mlp.down_proj', '12x2 at 768', '2x8 at 832', 'mlp.down_proj.weight from 0', false],
      ['lm_head', '8x2 at 896', '2x11 at 960', 'lm_head.weight from 0', true],
    ]);
    expect(adapterLength(config, all)).toBe(1024);
  });

  it('counts r · (in + out) scalars for each target', () => {
    const count = (...targets: LoraTarget[]) => adapterParameterCount(config, { ...all, targets });
    expect(count('q_proj')).toBe(2 * (8 + 8));
    expect(count('k_proj', 'up_proj')).toBe(2 * (8 + 4) + 2 * (8 + 12));
    expect(count('lm_head')).toBe(2 * (8 + 11));
    expect(adapterParameterCount({ ...config, layers: 3 }, { ...all, targets: ['down_proj'] })).toBe(
      3 * 2 * (12 + 8),
    );
  });

  it('keeps the order of use whatever the order of the targets', () => {
    const shuffled: LoraSettings = { ...all, targets: ['lm_head', 'v_proj', 'q_proj'] };
    expect(adapterSpecs(config, shuffled).map(({ module }) => module)).toEqual([
      'model.layers.0.self_attn.q_proj',
      'model.layers.0.self_attn.v_proj',
      'lm_head',
    ]);
  });

  it.each<[string, Partial<Record<keyof LoraSettings, unknown>>, RegExp]>([
    ['no target', { targets: [] }, /no targets; name at least one of q_proj/],
    ['an unknown target', { targets: ['q_proj', 'embed_tokens'] }, /no LoRA target "embed_tokens"/],
    ['a target twice', { targets: ['q_proj', 'q_proj'] }, /"q_proj" is named twice/],
    ['rank 0', { rank: 0 }, /rank is 0/],
    ['half a rank', { rank: 1.5 }, /rank is 1\.5/],
    [
      'a rank above the narrowest target',
      { rank: 5 },
      /rank is 5; model\.layers\.0\.self_attn\.k_proj maps 8 inputs to 4 outputs, so it must be a whole number from 1 to 4/,
    ],
    ['α of 0', { alpha: 0 }, /α is 0/],
    ['α that is no number', { alpha: NaN }, /α is NaN/],
  ])('refuses %s', (_, change, message) => {
    const settings = { ...all, ...change } as LoraSettings;
    expect(() => adapterSpecs(config, settings)).toThrow(LoraError);
    expect(() => adapterSpecs(config, settings)).toThrow(message);
    expect(() => adapterLength(config, settings)).toThrow(message);
  });

  it('allows a higher rank where the narrow targets are left out', () => {
    expect(adapterSpecs(config, { ...all, rank: 8, targets: ['q_proj', 'gate_proj'] })).toHaveLength(2);
  });
});

describe('peftSpecs', () => {
  it("names and shapes tensors as PEFT's files do", () => {
    const specs = peftSpecs(config, { ...all, targets: ['k_proj', 'lm_head'] });
    expect(specs).toEqual([
      { name: 'base_model.model.model.layers.0.self_attn.k_proj.lora_A.weight', shape: [2, 8] },
      { name: 'base_model.model.model.layers.0.self_attn.k_proj.lora_B.weight', shape: [4, 2] },
      { name: 'base_model.model.lm_head.lora_A.weight', shape: [2, 8] },
      { name: 'base_model.model.lm_head.lora_B.weight', shape: [11, 2] },
    ]);
  });
});

describe('mergedConfig', () => {
  it('unties a tied head that is adapted, and changes nothing else', () => {
    expect(mergedConfig(config, all)).toEqual({ ...config, tiedHead: false });
    expect(mergedConfig(config, { ...all, targets: ['q_proj'] })).toBe(config);
    const untied = { ...config, tiedHead: false };
    expect(mergedConfig(untied, all)).toBe(untied);
  });
});
