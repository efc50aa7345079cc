import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { huggingFaceSpecs } from '../model/parameters.ts';
import {
  jsonBytes,
  tinyConfigJson,
  tinyModelFolder,
  tinyTensors,
  tinyTokenizerConfig,
} from '../testing/modelFolder.ts';
import { describeShared } from '@rl-playground/base/testing/shared';
import { ModelFileError, type LoadedModel } from './types.ts';
import { loadModel, loadWeights } from './load.ts';
import { writeSafetensors } from './safetensors.ts';
import { filesInMemory } from './sources.ts';
import { widened } from '../model/storedWeights.ts';

type Changes = Record<string, Uint8Array | null>;

function load(changes: Changes = {}): Promise<LoadedModel> {
  const folder = tinyModelFolder();
  for (const [name, bytes] of Object.entries(changes)) {
    if (bytes === null) folder.delete(name);
    else folder.set(name, bytes);
  }
  return loadModel(filesInMemory('tiny', folder));
}

describe('loadModel', () => {
  it('reads a folder whole', async () => {
    const model = await load();
    expect(model.name).toBe('tiny');
    expect(model.config).toMatchObject({ vocabSize: 20, kvHeads: 1, headDim: 4, tiedHead: true });
    expect([...(await widened(model.weights))]).toEqual([...tinyTensors()]);
    expect(model.stopTokenIds).toEqual([1, 15]);
    expect(model.promptStyle).toBe('full');
    expect(model.tokenizer.promptIds([{ role: 'user', content: '1+2=[ANSWER] ' }])).toEqual([
      0, 4, 13, 5, 14, 16, 15,
    ]);
    expect([...model.sideFiles.keys()].sort()).toEqual([
      'config.json',
      'generation_config.json',
      'tokenizer.json',
      'tokenizer_config.json',
    ]);
  });

  it('carries listed small files along, but no weights, folders or model card', async () => {
    const some = new Uint8Array([1]);
    const model = await load({
      'vocab.json': some,
      LICENSE: some,
      'README.md': some,
      'onnx/model.onnx': some,
      'pytorch_model.bin': some,
    });
    expect([...model.sideFiles.keys()]).toEqual(expect.arrayContaining(['vocab.json', 'LICENSE']));
    expect(model.sideFiles.size).toBe(6);
  });

  it('finds stop tokens in generation_config.json, then config.json, then the tokenizer', async () => {
    const stops = async (changes: Changes) => (await load(changes)).stopTokenIds;
    expect(await stops({ 'generation_config.json': jsonBytes({ eos_token_id: 7 }) })).toEqual([7]);
    expect(await stops({ 'generation_config.json': jsonBytes({}) })).toEqual([1]);
    expect(
      await stops({
        'generation_config.json': null,
        'config.json': jsonBytes({ ...tinyConfigJson, eos_token_id: [3, 4] }),
      }),
    ).toEqual([3, 4]);
    expect(
      await stops({
        'generation_config.json': null,
        'config.json': jsonBytes({ ...tinyConfigJson, eos_token_id: undefined }),
      }),
    ).toEqual([1]);
  });

  it('reads the prompt style from our own field', async () => {
    const config = { ...tinyConfigJson, rl_playground: { prompt_style: 'compact' } };
    expect((await load({ 'config.json': jsonBytes(config) })).promptStyle).toBe('compact');
    const broken = { ...tinyConfigJson, rl_playground: { prompt_style: 'tiny' } };
    await expect(load({ 'config.json': jsonBytes(broken) })).rejects.toThrow(/prompt_style/);
  });

  it('lets chat_template.jinja win over tokenizer_config.json', async () => {
    const template = new TextEncoder().encode('{{ messages[0].content }}=');
    const model = await load({ 'chat_template.jinja': template });
    expect(model.tokenizer.promptIds([{ role: 'user', content: '12' }])).toEqual([4, 5, 14]);
    expect(model.sideFiles.has('chat_template.jinja')).toBe(true);
  });

  it('does not ask a source without a list for a template it has no need of', async () => {
    const asked: string[] = [];
    const folder = tinyModelFolder();
    const open = (name: string) => {
      asked.push(name);
      return filesInMemory('tiny', folder).open(name);
    };
    await loadModel({ label: 'tiny', open });
    expect(asked).not.toContain('chat_template.jinja');
    folder.set('tokenizer_config.json', jsonBytes({ ...tinyTokenizerConfig, chat_template: undefined }));
    await loadModel({ label: 'tiny', open });
    expect(asked).toContain('chat_template.jinja');
  });

  it('puts shards together', async () => {
    const all = [...tinyTensors()];
    const half = (part: typeof all) => writeSafetensors(new Map(part));
    const weight_map = Object.fromEntries(
      all.map(([name], i) => [name, i < 5 ? 'a.safetensors' : 'b.safetensors']),
    );
    const shards = {
      'model.safetensors': null,
      'model.safetensors.index.json': jsonBytes({ metadata: {}, weight_map }),
      'a.safetensors': half(all.slice(0, 5)),
      'b.safetensors': half(all.slice(5)),
    };
    const model = await load(shards);
    expect([...(await widened(model.weights))]).toEqual(all);
    expect([...model.sideFiles.keys()].some((name) => name.includes('safetensors'))).toBe(false);
    await expect(load({ ...shards, 'b.safetensors': null })).rejects.toThrow(
      /b\.safetensors is missing.*2 files/,
    );
    const outside = jsonBytes({ weight_map: { x: '../x.safetensors' } });
    await expect(load({ ...shards, 'model.safetensors.index.json': outside })).rejects.toThrow(/weight_map/);
  });

  it('accepts the stored copy of a tied head and computed RoPE tables', async () => {
    const tensors = tinyTensors();
    const embedding = tensors.get('model.embed_tokens.weight');
    if (embedding) tensors.set('lm_head.weight', embedding);
    tensors.set('model.layers.0.self_attn.rotary_emb.inv_freq', { shape: [2], data: new Float32Array(2) });
    const model = await load({ 'model.safetensors': writeSafetensors(tensors) });
    expect([...model.weights.keys()]).toEqual([...tinyTensors().keys()]);
  });

  const weights = (change: (tensors: ReturnType<typeof tinyTensors>) => void): Changes => {
    const tensors = tinyTensors();
    change(tensors);
    return { 'model.safetensors': writeSafetensors(tensors) };
  };
  const norm = 'model.norm.weight';
  it.each<[string, Changes, RegExp]>([
    ['no config', { 'config.json': null }, /tiny: config\.json is missing/],
    ['no tokenizer', { 'tokenizer.json': null }, /tokenizer\.json is missing/],
    ['no weights', { 'model.safetensors': null }, /neither model\.safetensors nor/],
    [
      'a number of Python’s',
      { 'config.json': new TextEncoder().encode('{"name": "NaN", \n"rope_theta": -Infinity}') },
      /config\.json has -Infinity in line 2, a number that Python writes and JSON does not have/,
    ],
    ['a config that is no JSON', { 'config.json': new Uint8Array([123]) }, /config\.json is no valid JSON/],
    ['a config that is a list', { 'config.json': jsonBytes([1]) }, /JSON object, found \[1\]/],
    [
      'another architecture',
      { 'config.json': jsonBytes({ model_type: 'gpt2' }) },
      /tiny: config\.json.*"gpt2"/,
    ],
    [
      'a tokenizer of another model',
      { 'config.json': jsonBytes({ ...tinyConfigJson, vocab_size: 16 }) },
      /17 tokens.*16/,
    ],
    ['a tokenizer that is none', { 'tokenizer.json': jsonBytes({}) }, /tokenizer\.json/],
    [
      'an end token that is none',
      { 'generation_config.json': jsonBytes({ eos_token_id: 20 }) },
      /0 to 19, found 20/,
    ],
    ['a missing tensor', weights((t) => t.delete(norm)), /1 of 20 tensors missing \(model\.norm\.weight\)/],
    [
      'an unexpected tensor',
      weights((t) => t.set('x', { shape: [1], data: new Float32Array(1) })),
      /1 unexpected \(x\)/,
    ],
    [
      'a wrong shape',
      weights((t) => t.set(norm, { shape: [4], data: new Float32Array(4) })),
      /model\.norm\.weight is \[4\], needed is \[8\]/,
    ],
    [
      'a transposed weight',
      weights((t) => {
        const name = 'model.layers.1.mlp.up_proj.weight';
        t.set(name, { shape: [8, 12], data: new Float32Array(96) });
      }),
      /up_proj\.weight is \[8, 12\], needed is \[12, 8\]/,
    ],
    [
      'a head of its own where the config ties it',
      weights((t) => t.set('lm_head.weight', { shape: [20, 8], data: new Float32Array(160) })),
      /tie_word_embeddings.*lm_head\.weight is stored and differs from model\.embed_tokens\.weight in 160 of 160/,
    ],
    [
      'an adapter beside the model',
      { 'adapter_config.json': jsonBytes({}), 'adapter_model.safetensors': new Uint8Array(8) },
      /adapter_config\.json and adapter_model\.safetensors of a LoRA adapter lie beside the model/,
    ],
    [
      'NaN in the weights',
      weights((t) => t.get(norm)?.data.set([NaN, Infinity], 2)),
      /"model\.norm\.weight" holds 2 values of 8/,
    ],
    [
      'a truncated file',
      { 'model.safetensors': writeSafetensors(tinyTensors()).subarray(0, -5) },
      /truncated/,
    ],
  ])('refuses %s', async (_, changes, message) => {
    await expect(load(changes)).rejects.toThrow(ModelFileError);
    await expect(load(changes)).rejects.toThrow(message);
  });

  it('reports progress by file and stops when aborted', async () => {
    const seen = new Map<string, [number, number]>();
    const files = filesInMemory('tiny', tinyModelFolder());
    await loadModel(files, { onProgress: (label, done, total) => seen.set(label, [done, total]) });
    const bytes = tinyModelFolder().get('model.safetensors')?.length;
    expect(seen.get('model.safetensors')).toEqual([bytes, bytes]);
    const reason = new Error('enough');
    await expect(loadModel(files, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describeShared('loadWeights on the reference models', 'refdata/models', (folder) => {
  const models = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  it.each(models.map((entry) => entry.name))('reads %s, every parameter in place', async (name) => {
    const contents = new Map(
      ['config.json', 'model.safetensors'].map((file) => [
        file,
        new Uint8Array(readFileSync(join(folder, name, file))),
      ]),
    );
    const { config, weights } = await loadWeights(filesInMemory(name, contents));
    expect([...weights.keys()]).toEqual(huggingFaceSpecs(config).map((spec) => spec.name));
  });
});
