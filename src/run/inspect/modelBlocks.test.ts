import { expect, test } from 'vitest';
import { adapterParameterCount, loadModel, parameterCount } from '@rl-playground/engine/parts';
import { starterInNode } from '@rl-playground/engine/testing/starterFolder';
import { blockKey, blockOf, modelBlocks } from './modelBlocks.ts';

test('blocks have all numbers of a model and of its adapter, in the order of use', async () => {
  const { config } = await loadModel(starterInNode());
  const lora = { rank: 2, alpha: 4, targets: ['q_proj', 'down_proj'] } as const;
  const blocks = modelBlocks(config, lora);
  const sum = (of: 'parameters' | 'adapter') => blocks.reduce((all, block) => all + block[of], 0);
  expect(sum('parameters')).toBe(parameterCount(config));
  expect(sum('adapter')).toBe(adapterParameterCount(config, lora));
  expect(modelBlocks(config, null).every(({ adapter }) => adapter === 0)).toBe(true);
  expect(blocks.map(blockKey)).toEqual([
    'embedding',
    ...Array.from({ length: config.layers }, (_, layer) => [`${layer} attention`, `${layer} mlp`]).flat(),
    'norm',
    'head',
  ]);
});

test.each([
  ['model.embed_tokens.weight', { kind: 'embedding', layer: null }],
  ['model.layers.11.self_attn.q_norm.weight', { kind: 'attention', layer: 11 }],
  ['model.layers.0.input_layernorm.weight', { kind: 'attention', layer: 0 }],
  ['model.layers.2.post_attention_layernorm.weight', { kind: 'mlp', layer: 2 }],
  ['model.layers.2.mlp.down_proj', { kind: 'mlp', layer: 2 }],
  ['model.norm.weight', { kind: 'norm', layer: null }],
  ['lm_head', { kind: 'head', layer: null }],
])('%s', (tensor, block) => expect(blockOf(tensor)).toEqual(block));
