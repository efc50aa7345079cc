import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { gguf } from '@huggingface/gguf';
import { expect, it, test } from 'vitest';
import { jsonBytes } from '@rl-playground/base/json';
import { drawsFor } from '@rl-playground/base/random';
import {
  adapterLength,
  readNumbers,
  ropeOfLayers,
  storedAs,
  widened,
  type NumberType,
  loadModel,
  contentOf,
  type OpenFile,
} from '@rl-playground/engine/parts';
import { unpackPeft } from '@rl-playground/engine/parts/tensors';
import { describeShared } from '@rl-playground/base/testing/shared';
import { filesInFolder } from '@rl-playground/engine/parts/node';
import { adapterGguf, modelGguf } from './export.ts';

const seed = Math.floor(Math.random() * 2 ** 32);
const TYPES: Readonly<Record<NumberType, number>> = { F32: 0, F16: 1, BF16: 30 };

/** The findings of Hugging Face's reader in a file, and the bytes themselves. */
async function readBack(file: OpenFile) {
  const bytes = await contentOf(file);
  const folder = mkdtempSync(join(tmpdir(), 'gguf-'));
  try {
    const path = join(folder, 'model.gguf');
    writeFileSync(path, bytes);
    const found = await gguf(path, { allowLocalFile: true });
    const start = Number(found.tensorDataOffset);
    const f32 = (name: string): Float32Array => {
      const info = found.tensorInfos.find((each) => each.name === name);
      if (!info || info.dtype !== 0) throw new Error(`There is no ${name} in F32.`);
      const size = info.shape.reduce((product, extent) => product * Number(extent), 1);
      const first = start + Number(info.offset);
      return new Float32Array(bytes.slice(first, first + 4 * size).buffer);
    };
    return {
      ...found,
      metadata: found.metadata as unknown as Record<string, unknown>,
      f32,
      size: bytes.length,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Rows of a head's first and second half by turns, as convert_hf_to_gguf.py reshapes them: [heads, 2, d / 2] to [heads, d / 2, 2]. */
function byTurns(data: Float32Array, heads: number, columns: number): Float32Array {
  const half = data.length / columns / heads / 2;
  const result = new Float32Array(data.length);
  for (let h = 0; h < heads; h++)
    for (let part = 0; part < 2; part++)
      for (let i = 0; i < half; i++) {
        const from = ((h * 2 + part) * half + i) * columns;
        result.set(data.subarray(from, from + columns), ((h * half + i) * 2 + part) * columns);
      }
  return result;
}

describeShared(`models as GGUF (seed ${seed})`, 'refdata/hf', (folder) => {
  test.each(['llama3', 'qwen2', 'qwen3', 'smollm2', 'mistral'])('%s is read back', async (name) => {
    const model = await loadModel(filesInFolder(join(folder, name), name));
    const { config } = model;
    const weights = await widened(model.weights);
    const { metadata, tensorInfos, f32 } = await readBack(modelGguf(model, 'F32'));
    const isMistral = config.modelType === 'mistral';
    const architecture = isMistral ? 'llama' : config.modelType;
    expect(metadata).toMatchObject({
      'general.architecture': architecture,
      'general.type': 'model',
      [`${architecture}.block_count`]: config.layers,
      [`${architecture}.attention.head_count_kv`]: config.kvHeads,
      'tokenizer.ggml.model': isMistral ? 'llama' : 'gpt2',
      'tokenizer.ggml.eos_token_id': model.tokenizer.eosTokenId,
      // Llama 3's and Mistral's post-processors put their start token before a text; the others have none.
      'tokenizer.ggml.add_bos_token': ['llama3', 'mistral'].includes(name),
      'tokenizer.ggml.add_eos_token': false,
    });
    const others = model.stopTokenIds.filter((id) => id !== model.tokenizer.eosTokenId);
    expect(metadata['tokenizer.ggml.eot_token_id']).toBe(others[0]);
    expect(metadata['tokenizer.ggml.tokens']).toHaveLength(config.vocabSize);
    if (isMistral) expect(metadata['tokenizer.ggml.scores']).toHaveLength(config.vocabSize);
    const scaled = ropeOfLayers(config).scaling?.type === 'llama3' ? 1 : 0;
    expect(tensorInfos).toHaveLength(weights.size + scaled);
    const data = (tensor: string): Float32Array => weights.get(tensor)?.data ?? new Float32Array();
    expect(f32('token_embd.weight')).toEqual(data('model.embed_tokens.weight'));
    expect(f32('blk.1.ffn_down.weight')).toEqual(data('model.layers.1.mlp.down_proj.weight'));
    const key = data('model.layers.1.self_attn.k_proj.weight');
    expect(f32('blk.1.attn_k.weight')).toEqual(
      architecture === 'llama' ? byTurns(key, config.kvHeads, config.hiddenSize) : key,
    );
  });

  it.each(['F16', 'BF16'] as const)('keeps matrices in %s and vectors in F32', async (type) => {
    const model = await loadModel(filesInFolder(join(folder, 'qwen2'), 'qwen2'));
    const { tensorInfos, f32 } = await readBack(modelGguf(model, type));
    for (const { name, shape, dtype } of tensorInfos)
      expect(dtype, `${name}`).toBe(shape.length === 1 ? TYPES.F32 : TYPES[type]);
    const bias = model.weights.get('model.layers.0.self_attn.q_proj.bias');
    if (!bias) throw new Error('There is no bias.');
    expect(f32('blk.0.attn_q.bias')).toEqual(
      await readNumbers(storedAs('bias', bias, 'F32'), 0, bias.shape[0] ?? 0),
    );
  });

  it('names GPT-2’s way to cut texts, and Llama 3’s by what its merges do', async () => {
    const model = await loadModel(filesInFolder(join(folder, 'llama3'), 'llama3'));
    const json = JSON.parse(new TextDecoder().decode(model.sideFiles.get('tokenizer.json'))) as {
      readonly model: object;
    };
    const preOf = async (changes: object): Promise<unknown> => {
      const sideFiles = new Map([...model.sideFiles, ['tokenizer.json', jsonBytes({ ...json, ...changes })]]);
      return (await readBack(modelGguf({ ...model, sideFiles }, 'F32'))).metadata['tokenizer.ggml.pre'];
    };
    const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true };
    expect(await preOf({ pre_tokenizer: byteLevel })).toBe('gpt-2');
    expect(await preOf({ pre_tokenizer: { type: 'Sequence', pretokenizers: [byteLevel] } })).toBe('gpt-2');
    await expect(preOf({ pre_tokenizer: { ...byteLevel, add_prefix_space: true } })).rejects.toThrow(/GPT-2/);
    expect(await preOf({ model: { ...json.model, ignore_merges: true } })).toBe('llama-bpe');
    expect(await preOf({ model: { ...json.model, ignore_merges: false } })).toBe('smaug-bpe');
  });

  it.each([
    { says: {}, adds: [true, true] },
    { says: { add_bos_token: false }, adds: [false, true] },
    { says: { add_eos_token: false, add_bos_token: null }, adds: [true, false] },
  ])(
    'adds the tokens of the post-processor, unless $says in tokenizer_config.json',
    async ({ says, adds }) => {
      const model = await loadModel(filesInFolder(join(folder, 'mistral'), 'mistral'));
      const jsonOf = (name: string): Record<string, unknown> =>
        JSON.parse(new TextDecoder().decode(model.sideFiles.get(name))) as Record<string, unknown>;
      const single = [
        { SpecialToken: { id: '<s>', type_id: 0 } },
        { Sequence: { id: 'A', type_id: 0 } },
        { SpecialToken: { id: '</s>', type_id: 0 } },
      ];
      const template = { type: 'TemplateProcessing', single, pair: [], special_tokens: {} };
      const post = { type: 'Sequence', processors: [{ type: 'ByteLevel' }, template] };
      const sideFiles = new Map([
        ...model.sideFiles,
        ['tokenizer.json', jsonBytes({ ...jsonOf('tokenizer.json'), post_processor: post })],
        ['tokenizer_config.json', jsonBytes({ ...jsonOf('tokenizer_config.json'), ...says })],
      ]);
      const { metadata } = await readBack(modelGguf({ ...model, sideFiles }, 'F32'));
      expect([metadata['tokenizer.ggml.add_bos_token'], metadata['tokenizer.ggml.add_eos_token']]).toEqual(
        adds,
      );
    },
  );

  it('has the last name of the folder of a model, and no path of this machine', async () => {
    const path = resolve(folder, 'qwen2');
    const file = modelGguf(await loadModel(filesInFolder(path)), 'F16');
    const { metadata } = await readBack(file);
    expect(metadata['general.name']).toBe('qwen2');
    expect(Buffer.from(await contentOf(file)).includes(dirname(path))).toBe(false);
  });

  it('has adapters with the scale of rsLoRA in their α', async () => {
    const model = await loadModel(filesInFolder(join(folder, 'llama3'), '../models/llama3'));
    const { config } = model;
    const settings = { rank: 4, alpha: 6, targets: ['q_proj', 'down_proj'], rankStabilized: true } as const;
    const draw = drawsFor(seed);
    const pool = Float32Array.from({ length: adapterLength(config, settings) }, () => draw() - 0.5);
    const arrays = unpackPeft(config, settings, pool);
    const { metadata, tensorInfos, f32 } = await readBack(adapterGguf(model, { settings, arrays }));
    expect(metadata).toMatchObject({
      'general.type': 'adapter',
      'adapter.type': 'lora',
      'adapter.lora.alpha': 12,
      // The place of the base on this machine stays here.
      'general.base_model.0.name': 'llama3',
    });
    expect(tensorInfos).toHaveLength(arrays.size);
    const peft = (part: string): Float32Array =>
      arrays.get(`base_model.model.model.layers.0.self_attn.q_proj.lora_${part}.weight`)?.data ??
      new Float32Array();
    expect(f32('blk.0.attn_q.weight.lora_a')).toEqual(peft('A'));
    expect(f32('blk.0.attn_q.weight.lora_b')).toEqual(byTurns(peft('B'), config.heads, 4));
  });
});
