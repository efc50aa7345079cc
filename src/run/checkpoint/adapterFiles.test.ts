import { zipSync } from 'fflate';
import { beforeAll, describe, expect, it } from 'vitest';
import { defaultConfig } from '../settings/presets/presets.ts';
import {
  loadModel,
  loadWeights,
  ModelFileError,
  parseSafetensors,
  writeSafetensors,
  filesInMemory,
  adapterLength,
  mergedConfig,
  peftSpecs,
  type LoraSettings,
  LORA_TARGETS,
  storedInMemory,
  widened,
} from '@rl-playground/engine/parts';
import { packPeft, unpackPeft, packArrays, unpackArrays } from '@rl-playground/engine/parts/tensors';
import { mergeAdapter } from '@rl-playground/engine/testing/mergeAdapter';
import { jsonBytes, tinyModelFolder } from '@rl-playground/engine/testing/modelFolder';
import type { CheckpointParts } from './checkpointParts.ts';
import { modelParts } from '../testing/modelParts.ts';
import { unzipped } from '@rl-playground/engine/testing/zips';
import { readZippedCheckpoint, writeCheckpoint } from '../testing/zips.ts';

const BODY: LoraSettings = { rank: 2, alpha: 3, targets: ['q_proj', 'v_proj', 'down_proj'] };
const ALL: LoraSettings = { rank: 3, alpha: 6, targets: LORA_TARGETS };

/** The parts that a run of three updates would leave. The model's own config is the base's, as in a session. */
async function partsWith(settings: LoraSettings): Promise<CheckpointParts> {
  const model = await loadModel(filesInMemory('tiny', tinyModelFolder()));
  const { config } = model;
  const pool = Float32Array.from({ length: adapterLength(config, settings) }, (_, i) => Math.cos(i));
  const arrays = unpackPeft(config, settings, pool);
  const merged = mergeAdapter(config, packArrays(config, await widened(model.weights)), pool, settings);
  const moments = new Map(
    [...arrays].map(([name, { data }], i) => [
      name,
      { m: data.map((value) => value / (i + 2)), v: data.map((value) => (value / (i + 3)) ** 2) },
    ]),
  );
  const weights = storedInMemory(unpackArrays(mergedConfig(config, settings), merged));
  return {
    ...modelParts({ ...model, weights }, { settings, arrays, base: await widened(model.weights) }),
    optimizer: { step: 3, moments },
    runConfig: defaultConfig('sum_digits'),
  };
}

const parsed = (bytes: Uint8Array | undefined): Record<string, unknown> =>
  JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;

describe('a checkpoint of an adapter', () => {
  let parts: CheckpointParts;
  let bytes: Uint8Array;
  let files: Map<string, Uint8Array>;
  beforeAll(async () => {
    parts = await partsWith(BODY);
    bytes = await writeCheckpoint(parts);
    files = await unzipped(bytes);
  });

  it("holds the merged model at the top, and nothing there that another library would take for an adapter's folder", async () => {
    const top = [...files.keys()].filter((name) => !name.includes('/')).sort();
    expect(top).toEqual([
      'README.md',
      'config.json',
      'generation_config.json',
      'model.safetensors',
      'optimizer.safetensors',
      'tokenizer.json',
      'tokenizer_config.json',
    ]);
    const { weights } = await loadWeights(filesInMemory('x', files));
    expect([...weights]).toEqual([...(await widened(parts.model.weights))]);
  });

  it("has the adapter in PEFT's files", () => {
    expect(parsed(files.get('adapter/adapter_config.json'))).toMatchObject({
      peft_type: 'LORA',
      task_type: 'CAUSAL_LM',
      r: 2,
      lora_alpha: 3,
      lora_dropout: 0,
      bias: 'none',
      target_modules: ['q_proj', 'v_proj', 'down_proj'],
      base_model_name_or_path: 'base',
    });
    const { tensors, metadata } = parseSafetensors(
      files.get('adapter/adapter_model.safetensors') ?? new Uint8Array(),
    );
    expect([...tensors].map(([name, { shape }]) => ({ name, shape }))).toEqual(
      peftSpecs(parts.model.config, BODY),
    );
    expect(metadata).toEqual({ format: 'pt' });
  });

  it('has the base as a model folder of its own, to the bit', async () => {
    const folder = new Map(
      [...files].flatMap(([name, data]) =>
        name.startsWith('base/') ? [[name.slice(5), data] as const] : [],
      ),
    );
    const { config, weights } = await loadWeights(filesInMemory('base', folder));
    expect(config).toEqual(parts.model.config);
    expect([...weights]).toEqual([...(parts.adapter?.base ?? [])]);
    expect(parsed(files.get('base/config.json'))).not.toHaveProperty('rl_playground');
  });

  it('comes back exactly, with the moments of what was trained', async () => {
    const read = await readZippedCheckpoint(bytes, 'tiny');
    expect(read.adapter?.settings).toEqual(BODY);
    expect([...(read.adapter?.arrays ?? [])]).toEqual([...(parts.adapter?.arrays ?? [])]);
    expect([...(read.adapter?.base ?? [])]).toEqual([...(parts.adapter?.base ?? [])]);
    expect([...(await widened(read.model.weights))]).toEqual([...(await widened(parts.model.weights))]);
    expect(read.optimizer).toEqual(parts.optimizer);
    const again = await writeCheckpoint(read);
    expect(again.every((byte, i) => byte === bytes[i]) && again.length === bytes.length).toBe(true);
  });

  it('says in its card what was trained', () => {
    const card = new TextDecoder().decode(files.get('README.md'));
    expect(card).toContain('rank 2, α 3');
    // Two layers of r · (in + out): q 8 to 8, v 8 to 4, down 12 to 8.
    expect(card).toContain(`adapter of ${2 * 2 * (16 + 12 + 20)} parameters on q_proj, v_proj, down_proj`);
    expect(card).toContain('- adapter/:');
    expect(card).toContain('- base/:');
  });

  const tensors = (name: string) => parseSafetensors(files.get(name) ?? new Uint8Array()).tensors;
  const A = 'base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight';
  it.each<[string, () => Record<string, Uint8Array | null>, RegExp]>([
    [
      'no base',
      () => ({ 'base/model.safetensors': null }),
      /is present, but base\/model\.safetensors is missing/,
    ],
    [
      'no matrices',
      () => ({ 'adapter/adapter_model.safetensors': null }),
      /is present, but adapter\/adapter_model\.safetensors is missing/,
    ],
    [
      'a matrix of another rank',
      () => ({
        'adapter/adapter_model.safetensors': writeSafetensors(
          tensors('adapter/adapter_model.safetensors').set(A, { shape: [1, 8], data: new Float32Array(8) }),
        ),
      }),
      /q_proj\.lora_A\.weight must have shape \[2, 8\], found \[1, 8\]/,
    ],
    [
      'NaN in a matrix',
      () => ({
        'adapter/adapter_model.safetensors': writeSafetensors(
          tensors('adapter/adapter_model.safetensors').set(A, {
            shape: [2, 8],
            data: new Float32Array(16).fill(NaN),
          }),
        ),
      }),
      /holds 16 values of 16 that are NaN/,
    ],
    [
      'a kind of adapter that is not trained here',
      () => ({
        'adapter/adapter_config.json': jsonBytes({
          ...parsed(files.get('adapter/adapter_config.json')),
          use_dora: true,
        }),
      }),
      /use_dora/,
    ],
    ...(
      [
        ['a scale of a single module', { alpha_pattern: { q_proj: 8 } }, /alpha_pattern/],
        ['a rank of a single module', { rank_pattern: { q_proj: 8 } }, /rank_pattern/],
        ['whole modules beside it', { modules_to_save: ['lm_head'] }, /modules_to_save/],
        ['trained biases of its own', { lora_bias: true }, /lora_bias/],
      ] as const
    ).map(([what, change, message]): [string, () => Record<string, Uint8Array>, RegExp] => [
      what,
      () => ({
        'adapter/adapter_config.json': jsonBytes({
          ...parsed(files.get('adapter/adapter_config.json')),
          ...change,
        }),
      }),
      message,
    ]),
    [
      'a matrix that its config does not name',
      () => ({
        'adapter/adapter_model.safetensors': writeSafetensors(
          tensors('adapter/adapter_model.safetensors').set(A.replace('q_proj', 'k_proj'), {
            shape: [2, 8],
            data: new Float32Array(16),
          }),
        ),
      }),
      /k_proj\.lora_A\.weight is no part of the adapter/,
    ],
    [
      'a rank that the model has not',
      () => ({
        'adapter/adapter_config.json': jsonBytes({
          ...parsed(files.get('adapter/adapter_config.json')),
          r: 9,
        }),
      }),
      /rank is 9/,
    ],
  ])('is refused: %s', async (_, change, message) => {
    const all = new Map(files);
    for (const [name, data] of Object.entries(change())) {
      if (data === null) all.delete(name);
      else all.set(name, data);
    }
    const zip = zipSync(Object.fromEntries(all));
    await expect(readZippedCheckpoint(zip, 'x.zip')).rejects.toThrow(ModelFileError);
    await expect(readZippedCheckpoint(zip, 'x.zip')).rejects.toThrow(message);
  });
});

describe('a checkpoint of an adapter of a tied head', () => {
  it('unties merged model and base, which PEFT would merge into its embedding as well, and comes back as one architecture', async () => {
    const parts = await partsWith(ALL);
    expect(parts.model.config.tiedHead).toBe(true);
    const bytes = await writeCheckpoint(parts);
    const files = await unzipped(bytes);
    expect(parsed(files.get('config.json'))['tie_word_embeddings']).toBe(false);
    expect(parsed(files.get('base/config.json'))['tie_word_embeddings']).toBe(false);
    const base = parseSafetensors(files.get('base/model.safetensors') ?? new Uint8Array()).tensors;
    expect(base.get('lm_head.weight')).toEqual(base.get('model.embed_tokens.weight'));
    const read = await readZippedCheckpoint(bytes);
    expect(read.model.config).toEqual({ ...parts.model.config, tiedHead: false });
    expect([...(await widened(read.model.weights))]).toEqual([...(await widened(parts.model.weights))]);
    expect(read.optimizer).toEqual(parts.optimizer);
    const { adapter } = read;
    if (!adapter?.base) throw new Error('The adapter or its base is missing.');
    expect(adapter.base.get('lm_head.weight')).toEqual(adapter.base.get('model.embed_tokens.weight'));
    // Merging what came back gives the merged model to the bit.
    const { config } = read.model;
    const pool = packPeft(config, ALL, adapter.arrays);
    const merged = mergeAdapter(config, packArrays(config, adapter.base), pool, ALL);
    expect([...unpackArrays(config, merged)]).toEqual([...(await widened(read.model.weights))]);
    // It goes on from there, and a checkpoint of that is read again.
    const again = await readZippedCheckpoint(await writeCheckpoint(read));
    expect([...(await widened(again.model.weights))]).toEqual([...(await widened(read.model.weights))]);
    expect([...(again.adapter?.base ?? [])]).toEqual([...adapter.base]);
  });
});
