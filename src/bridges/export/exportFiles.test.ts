import { describe, expect, it } from 'vitest';
import {
  LORA_TARGETS,
  loadModel,
  readPeftAdapter,
  filesInMemory,
  adapterLength,
  mergedConfig,
  type LoraSettings,
  storedAs,
  widened,
  type NumberType,
  safetensorsFile,
  contentOf,
  fromBfloat16,
  toBfloat16,
  withWeights,
} from '@rl-playground/engine/parts';
import { unpackPeft, packArrays, unpackArrays } from '@rl-playground/engine/parts/tensors';
import { mergeAdapter } from '@rl-playground/engine/testing/mergeAdapter';
import { drawsFor } from '@rl-playground/base/random';
import { jsonBytes, tinyModelFolder } from '@rl-playground/engine/testing/modelFolder';
import { modelParts } from '@rl-playground/run/testing/modelParts';
import { contents } from '@rl-playground/engine/testing/zips';
import { checkpointFiles, readCheckpoint, type CheckpointParts } from '@rl-playground/run/checkpoint';
import { exportFiles } from './exportFiles.ts';
import type { ExportFormat, WeightType } from '@rl-playground/run/export';

const seed = Math.floor(Math.random() * 2 ** 32);
const COMMIT = 'c'.repeat(40);

/** A run on a frozen base of the Hub whose weights are in `type` and whose head is tied. */
async function frozenRun(targets: LoraSettings['targets'], type: NumberType = 'BF16') {
  const settings = { rank: 2, alpha: 3, targets };
  const draw = drawsFor(seed);
  const folder = tinyModelFolder();
  const config: unknown = JSON.parse(new TextDecoder().decode(folder.get('config.json')));
  folder.set('config.json', jsonBytes({ ...(config as object), tie_word_embeddings: true }));
  const full = await loadModel(filesInMemory('tiny', folder));
  const stored = [...full.weights].map(([name, tensor]) => [name, storedAs(name, tensor, type)] as const);
  folder.set('model.safetensors', await contentOf(safetensorsFile(new Map(stored))));
  const origin = { name: 'org/tiny', revision: null, commit: COMMIT, hubUrl: null };
  const model = { ...(await loadModel(filesInMemory('tiny', folder))), origin };
  const pool = Float32Array.from({ length: adapterLength(model.config, settings) }, () => draw() - 0.5);
  const arrays = unpackPeft(model.config, settings, pool);
  const parts = modelParts(model, { settings, arrays, base: null });
  const merged = unpackArrays(
    mergedConfig(model.config, settings),
    mergeAdapter(model.config, packArrays(model.config, await widened(model.weights)), pool, settings),
  );
  return { parts, merged, folder, arrays, settings };
}

const exported = async (parts: CheckpointParts, format: ExportFormat, type: WeightType) =>
  contents(await exportFiles(parts, { format, type, base: parts.model.weights }));

const text = (files: ReadonlyMap<string, Uint8Array>, name: string): string =>
  new TextDecoder().decode(files.get(name));

describe(`a merged model (seed ${seed})`, () => {
  it('has the sum of base and adapter in F32, and its tokenizer byte for byte', async () => {
    const { parts, merged, folder } = await frozenRun(['q_proj', 'down_proj']);
    const files = await exported(parts, 'merged', 'F32');
    const read = await loadModel(filesInMemory('exported', files));
    expect(await widened(read.weights)).toEqual(merged);
    for (const name of ['tokenizer.json', 'tokenizer_config.json', 'generation_config.json'])
      expect(files.get(name), `${name}`).toEqual(folder.get(name));
    expect(JSON.parse(text(files, 'config.json'))).toMatchObject({
      dtype: 'float32',
      torch_dtype: 'float32',
    });
  });

  it('is that sum rounded once where it is stored as its base', async () => {
    const { parts, merged } = await frozenRun(['q_proj', 'down_proj']);
    const files = await exported(parts, 'merged', 'base');
    const read = await loadModel(filesInMemory('exported', files));
    expect([...read.weights.values()].every(({ dtype }) => dtype === 'BF16')).toBe(true);
    for (const [name, { data }] of await widened(read.weights))
      expect(data, `${name}`).toEqual(fromBfloat16(toBfloat16(merged.get(name)?.data ?? new Float32Array())));
    expect(JSON.parse(text(files, 'config.json'))).toMatchObject({
      dtype: 'bfloat16',
      torch_dtype: 'bfloat16',
    });
  });

  it('has a head of its own where the adapter changed the head alone', async () => {
    const { parts, merged } = await frozenRun(LORA_TARGETS);
    const files = await exported(parts, 'merged', 'F32');
    const read = await loadModel(filesInMemory('exported', files));
    expect(read.config.tiedHead).toBe(false);
    expect(await widened(read.weights)).toEqual(merged);
  });
});

describe('an adapter', () => {
  it("is PEFT's, with the name and commit of its base", async () => {
    const { parts, arrays, settings } = await frozenRun(['q_proj', 'down_proj']);
    const files = await exported(parts, 'peft', 'F32');
    expect([...files.keys()]).toEqual(['adapter_config.json', 'adapter_model.safetensors', 'README.md']);
    expect(JSON.parse(text(files, 'adapter_config.json'))).toMatchObject({
      base_model_name_or_path: 'org/tiny',
      revision: COMMIT,
    });
    const read = await readPeftAdapter(filesInMemory('adapter', files), parts.model.config);
    expect(read).toEqual({ settings, arrays });
    expect(text(files, 'README.md')).toContain(`from_pretrained("org/tiny", revision="${COMMIT}"`);
  });

  it('of a checkpoint with merged weights still names the base on the Hub', async () => {
    const { parts, settings, arrays, merged } = await frozenRun(['q_proj', 'down_proj']);
    const base = await widened(parts.model.weights);
    const saved = await contents(
      await checkpointFiles({
        ...parts,
        model: withWeights(parts.model, merged),
        adapter: { settings, arrays, base },
      }),
    );
    const files = await exported(await readCheckpoint(filesInMemory('saved', saved)), 'peft', 'F32');
    expect(JSON.parse(text(files, 'adapter_config.json'))).toMatchObject({
      base_model_name_or_path: 'org/tiny',
      revision: COMMIT,
    });
  });

  it('is refused of a run that trained all weights', async () => {
    const { parts } = await frozenRun(['q_proj']);
    await expect(exported({ ...parts, adapter: null }, 'peft', 'F32')).rejects.toThrow(/no LoRA adapter/);
  });
});

it('the card says base, task, seed, steps, accuracy before and after, and the settings that differ', async () => {
  const { parts } = await frozenRun(['q_proj']);
  const { defaultConfig } = await import('@rl-playground/run/settings');
  const evaluation = { format: 1, n: 100, tasks: [], temperature: 0, seconds: 1, samples: [] };
  const files = await exported(
    {
      ...parts,
      runConfig: { ...defaultConfig('sum_digits'), learningRate: 0.25, loraRank: 2 },
      evaluations: [
        { ...evaluation, step: 0, accuracy: 0.5 },
        { ...evaluation, step: 8, accuracy: 0.9 },
      ],
    },
    'merged',
    'base',
  );
  const card = text(files, 'README.md');
  expect(card).toContain('Trained by reinforcement: a LoRA adapter');
  expect(text(await exported(parts, 'merged', 'base'), 'README.md')).toContain(
    'Not trained here: a LoRA adapter',
  );
  expect(card).toContain('base_model: org/tiny\nbase_model_relation: finetune');
  expect(card).toContain(`org/tiny at commit ${COMMIT}`);
  // By hand: centre (p + z²/2n) / (1 + z²/n), z = 1.96.
  expect(card).toContain('| accuracy | before | after 8 steps | added |');
  expect(card).toContain('| greedy | 50.0% (40.4% to 59.6%) | 90.0% (82.6% to 94.5%) | +40.0 points |');
  expect(card).toContain('learning_rate=0.25\n');
  expect(card).toContain('lora_rank=2\n');
  expect(card).not.toContain('num_steps');
});
