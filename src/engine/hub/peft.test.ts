import { describe, expect, it } from 'vitest';
import { loraScale, type LoraSettings } from '../model/lora.ts';
import { parsePeftConfig, peftConfigFile } from './peft.ts';

const PLAIN = { peft_type: 'LORA', r: 4, lora_alpha: 8, target_modules: ['q_proj', 'v_proj'] };

const jsonOf = (bytes: Uint8Array): object => JSON.parse(new TextDecoder().decode(bytes)) as object;
const read = (changes: object): LoraSettings =>
  parsePeftConfig({ ...PLAIN, ...changes }, 'adapter_config.json', 'adapter');

describe('parsePeftConfig', () => {
  it('reads what it writes', () => {
    const settings: LoraSettings = { rank: 9, alpha: 6, targets: ['k_proj', 'lm_head'] };
    const back = (each: LoraSettings) =>
      parsePeftConfig(jsonOf(peftConfigFile(each, { name: 'base', revision: null })), 'x', 'y');
    expect(back(settings)).toEqual(settings);
    const stabilized = { ...settings, rankStabilized: true };
    expect(back(stabilized)).toEqual(stabilized);
    expect([loraScale(settings), loraScale(stabilized)]).toEqual([6 / 9, 2]);
  });

  it('names the modules of a model whose gate and up are one matrix, and reads them as both', () => {
    const settings: LoraSettings = {
      rank: 4,
      alpha: 8,
      targets: ['q_proj', 'gate_proj', 'up_proj', 'down_proj'],
    };
    const json = jsonOf(peftConfigFile(settings, { name: 'base', revision: null }, { fusedMlp: true }));
    expect(json).toMatchObject({ target_modules: ['q_proj', 'input_linear', 'output_linear'] });
    expect(parsePeftConfig(json, 'x', 'y')).toEqual(settings);
  });

  it('passes over what changes no product', () => {
    const harmless = {
      alora_invocation_tokens: null,
      rank_pattern: {},
      some_day_config: false,
      exclude_modules: [],
      megatron_core: 'megatron.core',
      qalora_group_size: 16,
      peft_version: '0.21.0',
      inference_mode: false,
      revision: 'main',
      auto_mapping: { base_model_class: 'X' },
      lora_dropout: 0.1,
      init_lora_weights: 'gaussian',
    };
    expect(read(harmless)).toEqual({ rank: 4, alpha: 8, targets: ['q_proj', 'v_proj'] });
  });

  it('takes targets by their names, with or without their block, or all of them', () => {
    expect(read({ target_modules: ['mlp.up_proj', 'self_attn.q_proj', 'q_proj'] }).targets).toEqual([
      'q_proj',
      'up_proj',
    ]);
    expect(read({ target_modules: 'all-linear' }).targets).toHaveLength(7);
  });

  it.each<[string, object]>([
    ['alora_invocation_tokens is [21,22]', { alora_invocation_tokens: [21, 22] }],
    ['init_lora_weights is "pissa"', { init_lora_weights: 'pissa' }],
    ['init_lora_weights is "olora"', { init_lora_weights: 'olora' }],
    ['init_lora_weights is "pissa_niter_16"', { init_lora_weights: 'pissa_niter_16' }],
    ['kasa_config is {"beta":0.1}', { kasa_config: { beta: 0.1 } }],
    ['use_dora is true', { use_dora: true }],
    ['fan_in_fan_out is true', { fan_in_fan_out: true }],
    ['bias is "all"', { bias: 'all' }],
    ['modules_to_save is ["lm_head"]', { modules_to_save: ['lm_head'] }],
    ['layers_to_transform is 0', { layers_to_transform: 0 }],
    ['rank_pattern is {"q_proj":2}', { rank_pattern: { q_proj: 2 } }],
    ['not_yet_invented is "x"', { not_yet_invented: 'x' }],
    ['peft_type is "LOHA"', { peft_type: 'LOHA' }],
    ['r is 0', { r: 0 }],
    ['lora_alpha is "8"', { lora_alpha: '8' }],
    ['target_modules is ".*q_proj"', { target_modules: '.*q_proj' }],
    ['target_modules names "embed_tokens"', { target_modules: ['embed_tokens', 'q_proj'] }],
    ['target_modules names "layers.0.self_attn.q_proj"', { target_modules: ['layers.0.self_attn.q_proj'] }],
    ['bias is "lora_only"; use_dora is true', { bias: 'lora_only', use_dora: true }],
  ])('refuses an adapter of which %s', (message, changes) => {
    expect(() => read(changes)).toThrow(message);
  });
});
