import { describe, expect, it } from 'vitest';
import { drawsFor } from '@rl-playground/base/random';
import { createScratchModel, scratchModelFiles, type ScratchRecipe } from './scratchModel.ts';

const RECIPE: ScratchRecipe = {
  name: 'three-words',
  vocabulary: {
    words: ['0', '1', '11', '+', '=', '<boe>', '<eoe>', '<pad>'],
    bos: '<boe>',
    eos: '<eoe>',
    pad: '<pad>',
  },
  layers: 1,
  hiddenSize: 16,
  heads: 2,
  mlpSize: 24,
  mlp: 'swiglu',
  maxPositions: 64,
};

describe('createScratchModel', () => {
  it('gives every word its place as id', async () => {
    const { tokenizer, config, stopTokenIds, promptStyle } = await createScratchModel(RECIPE, drawsFor(1));
    expect(tokenizer.encode('0 1 11 + = <boe> <eoe> <pad>')).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(tokenizer.encode('<boe> 111')).toEqual([5, 7]);
    expect(tokenizer.decode([4, 1, 11, 2, 0, 6])).toBe('= 1 11 0');
    expect([tokenizer.vocabSize, tokenizer.eosTokenId, tokenizer.padTokenId]).toEqual([8, 6, 7]);
    expect(stopTokenIds).toEqual([6]);
    expect(promptStyle).toBe('compact');
    expect(config).toMatchObject({ vocabSize: 8, hiddenSize: 16, tiedHead: false });
  });

  it('adds nothing to a prompt, and an end to an answer', async () => {
    const { tokenizer } = await createScratchModel(RECIPE, drawsFor(1));
    expect(tokenizer.promptIds([{ role: 'user', content: '<boe> 1 11 +' }])).toEqual([5, 1, 2, 3]);
    expect(
      tokenizer.promptIds([
        { role: 'user', content: '<boe> 1 0 +' },
        { role: 'assistant', content: '= 1' },
        { role: 'user', content: '<boe> 1 1 +' },
      ]),
    ).toEqual([5, 1, 0, 3, 4, 1, 6, 5, 1, 1, 3]);
  });

  it('is a Llama with gates, or an Arcee with ReLU and biases in its MLP', async () => {
    const read = async (recipe: ScratchRecipe) => {
      const { weights, config, sideFiles } = await createScratchModel(recipe, drawsFor(1));
      const text = new TextDecoder().decode(sideFiles.get('config.json'));
      const { architectures } = JSON.parse(text) as { readonly architectures: readonly string[] };
      return { config, architectures, names: [...weights.keys()].filter((name) => name.includes('.mlp.')) };
    };
    const mlp = (...names: readonly string[]) => names.map((name) => `model.layers.0.mlp.${name}`);
    expect(await read(RECIPE)).toMatchObject({
      config: { modelType: 'llama', mlp: 'swiglu' },
      architectures: ['LlamaForCausalLM'],
      names: mlp('gate_proj.weight', 'up_proj.weight', 'down_proj.weight'),
    });
    expect(await read({ ...RECIPE, mlp: 'relu' })).toMatchObject({
      config: { modelType: 'arcee', mlp: 'relu', qkvBias: false, outBias: false },
      architectures: ['ArceeForCausalLM'],
      names: mlp('up_proj.weight', 'up_proj.bias', 'down_proj.weight', 'down_proj.bias'),
    });
  });

  it('has weights that only the draws decide', async () => {
    const files = (seed: number) => scratchModelFiles(RECIPE, drawsFor(seed));
    expect(files(3)).toEqual(files(3));
    expect(files(4).get('model.safetensors')).not.toEqual(files(3).get('model.safetensors'));
    expect(files(4).get('tokenizer.json')).toEqual(files(3).get('tokenizer.json'));
    const { weights, sideFiles } = await createScratchModel(RECIPE, drawsFor(3));
    expect(weights.get('lm_head.weight')?.shape).toEqual([8, 16]);
    expect([...sideFiles.keys()].sort()).toEqual([
      'config.json',
      'generation_config.json',
      'tokenizer.json',
      'tokenizer_config.json',
    ]);
  });
});
