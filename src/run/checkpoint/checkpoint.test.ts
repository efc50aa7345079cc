import { SETTINGS_VERSION, versionNote } from '../settings/settingsVersion.ts';
import { zipSync } from 'fflate';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  ModelFileError,
  type LoadedModel,
  parseSafetensors,
  writeSafetensors,
  widened,
} from '@rl-playground/engine/parts';
import { describeOpened } from '../session/opening.ts';
import { TASK_ROWS, tinyCheckpointModel, tinyCheckpointParts } from '../testing/tinyCheckpoint.ts';
import { jsonBytes, tinyModelFolder, tinyTensors } from '@rl-playground/engine/testing/modelFolder';
import type { CheckpointParts } from './checkpointParts.ts';
import { unzipped } from '@rl-playground/engine/testing/zips';
import { readZippedCheckpoint, writeCheckpoint } from '../testing/zips.ts';

let model: LoadedModel;
let parts: CheckpointParts;
let bytes: Uint8Array;
let files: Map<string, Uint8Array>;

beforeAll(async () => {
  parts = await tinyCheckpointParts();
  model = await tinyCheckpointModel();
  bytes = await writeCheckpoint(parts);
  files = await unzipped(bytes);
});

/** A trainer's state of ours, of step 3, with these attributes. */
const ownState = (attributes: object): Uint8Array =>
  jsonBytes({
    global_step: 3,
    stateful_callbacks: { RLPlayground: { attributes: { step: 3, ...attributes } } },
  });

/** The same checkpoint with some files changed (null: taken out). */
function changed(changes: Record<string, Uint8Array | null>, inFolder = ''): Uint8Array {
  const all = new Map(files);
  for (const [name, data] of Object.entries(changes)) {
    if (data === null) all.delete(name);
    else all.set(name, data);
  }
  return zipSync(Object.fromEntries([...all].map(([name, data]) => [inFolder + name, data])));
}

describe('a checkpoint', () => {
  it('is a Hugging Face folder with the run beside it', () => {
    expect([...files.keys()].sort()).toEqual([
      'README.md',
      'config.json',
      'dataset_rows.json',
      'eval_results/eval_step_0.json',
      'eval_results/eval_step_12.json',
      'eval_results/eval_step_12_2.json',
      'eval_results/eval_step_2.json',
      'generation_config.json',
      'metrics.jsonl',
      'model.safetensors',
      'optimizer.safetensors',
      'own_tasks.json',
      'reference.safetensors',
      'tokenizer.json',
      'tokenizer_config.json',
      'trainer_state.json',
    ]);
    const original = tinyModelFolder();
    const parsed = (bytes: Uint8Array | undefined): unknown => JSON.parse(new TextDecoder().decode(bytes));
    expect(parsed(files.get('config.json'))).toMatchObject({
      ...(parsed(original.get('config.json')) as object),
      rl_playground: { version: SETTINGS_VERSION, run: parts.runConfig },
    });
    for (const name of ['tokenizer.json', 'tokenizer_config.json', 'generation_config.json']) {
      expect(files.get(name)).toEqual(original.get(name));
    }
    const weights = parseSafetensors(files.get('model.safetensors') ?? new Uint8Array());
    expect(weights.tensors.get('model.layers.0.mlp.up_proj.weight')?.shape).toEqual([12, 8]);
    const optimizer = parseSafetensors(files.get('optimizer.safetensors') ?? new Uint8Array());
    expect(optimizer.tensors.get('exp_avg.model.layers.0.mlp.up_proj.weight')?.shape).toEqual([12, 8]);
    expect(optimizer.metadata).toEqual({ step: '12' });
  });

  it('of another version of the settings has the defaults of today for those that came later, and says so', async () => {
    const { passAtK, ...before } = parts.runConfig ?? {};
    const config = JSON.parse(new TextDecoder().decode(files.get('config.json'))) as object;
    const old = jsonBytes({ ...config, rl_playground: { version: 5, run: before } });
    const read = await readZippedCheckpoint(changed({ 'config.json': old }));
    expect(passAtK).toBeDefined();
    expect(read.runConfig).toEqual(parts.runConfig);
    expect(read.settingsNote).toBe(versionNote('The run', 5));
    expect(describeOpened({ parts: read, log: null }).text).toBe(
      `tiny after 12 steps. ${versionNote('The run', 5)}`,
    );
    expect((await readZippedCheckpoint(bytes)).settingsNote).toBeUndefined();
  });

  it('comes back exactly', async () => {
    const read = await readZippedCheckpoint(bytes);
    expect([...(await widened(read.model.weights))]).toEqual([...(await widened(parts.model.weights))]);
    const others = (sideFiles: ReadonlyMap<string, Uint8Array>) =>
      [...sideFiles].filter(([name]) => name !== 'config.json');
    expect(others(read.model.sideFiles)).toEqual(others(parts.model.sideFiles));
    expect(read.model.name).toBe('tiny');
    expect(read.model.stopTokenIds).toEqual([1, 15]);
    expect(read.optimizer).toEqual(parts.optimizer);
    expect([...(read.reference ?? [])]).toEqual([...(await widened(model.weights))]);
    expect(read.runConfig).toEqual(parts.runConfig);
    expect(read.trainerState).toEqual(parts.trainerState);
    expect(read.taskRows).toEqual([TASK_ROWS]);
    expect(read.metrics).toEqual(parts.metrics);
    expect(read.evaluations).toEqual(parts.evaluations);
  });

  it('gives the same bytes for the same state, also after a round trip', async () => {
    expect(await writeCheckpoint(await readZippedCheckpoint(bytes))).toEqual(bytes);
  });

  it('has a model card with the evaluations, the settings and where they lie', () => {
    const card = new TextDecoder().decode(files.get('README.md'));
    const share = '100.0% (34.2% to 100.0%)';
    expect(card).toContain(`| 12 | ${share} | 1 | – | – | ${share} | 2 |`);
    expect(card).toContain('rl_playground.run');
    expect(card).toContain('on the task sum_digits, 12 steps, seed 4');
  });

  it('is read from one top-level folder, compressed, with what macOS adds', async () => {
    const macOs = { '__MACOSX/run/._config.json': new Uint8Array(4), 'run/.DS_Store': new Uint8Array(4) };
    const folder = Object.fromEntries([...files].map(([name, data]) => [`run/${name}`, data]));
    const read = await readZippedCheckpoint(
      zipSync({ 'run/': new Uint8Array(), ...folder, ...macOs }, { level: 9 }),
    );
    expect(read.optimizer).toEqual(parts.optimizer);
    expect(read.evaluations).toEqual(parts.evaluations);
  });

  it('may be just a model, even one that another trainer left', async () => {
    const folder = tinyModelFolder();
    folder.set('trainer_state.json', jsonBytes({ global_step: 5, log_history: [] }));
    const read = await readZippedCheckpoint(zipSync(Object.fromEntries(folder)), 'my-model.zip');
    expect([...(await widened(read.model.weights))]).toEqual([...(await widened(model.weights))]);
    expect(read).toMatchObject({ optimizer: null, reference: null, runConfig: null, trainerState: null });
    expect(read.model.name).toBe('my-model.zip');
    expect(read.metrics).toEqual([]);
    expect(read.evaluations).toEqual([]);
  });

  it('is written for a model without a run', async () => {
    const none = { optimizer: null, adapter: null, reference: null, runConfig: null, trainerState: null };
    const read = await readZippedCheckpoint(
      await writeCheckpoint({ model, ...none, customTasks: [], metrics: [], evaluations: [] }),
    );
    expect([...(await widened(read.model.weights))]).toEqual([...(await widened(model.weights))]);
    expect(read).toMatchObject(none);
  });
});

describe('a file that is no checkpoint', () => {
  const text = (value: string) => new TextEncoder().encode(value);
  const norm = 'model.norm.weight';

  function weightsWith(data: Float32Array): Uint8Array {
    return writeSafetensors(tinyTensors().set(norm, { shape: [data.length], data }));
  }

  function configWith(run: unknown): Uint8Array {
    const config = JSON.parse(new TextDecoder().decode(files.get('config.json'))) as object;
    return jsonBytes({ ...config, rl_playground: { run } });
  }

  function optimizerWith(name: string, shape: number[], data: Float32Array, step = '12'): Uint8Array {
    const { tensors } = parseSafetensors(files.get('optimizer.safetensors') ?? new Uint8Array());
    return writeSafetensors(tensors.set(name, { shape, data }), { metadata: { step } });
  }

  it.each<[string, () => Uint8Array, RegExp]>([
    ['text', () => text('hello'), /no zip file: it has 5 bytes/],
    ['nothing', () => new Uint8Array(), /0 bytes/],
    ['an empty zip', () => zipSync({}), /0 files but no config\.json/],
    [
      'a zip of something else',
      () => zipSync({ 'a.txt': text('x'), 'b.txt': text('y') }),
      /2 files but no config\.json/,
    ],
    ['no tokenizer', () => changed({ 'tokenizer.json': null }), /no tokenizer\.json/],
    ['no weights', () => changed({ 'model.safetensors': null }), /neither model\.safetensors/],
    [
      'truncated weights',
      () => changed({ 'model.safetensors': weightsWith(new Float32Array(8)).slice(0, 900) }),
      /truncated/,
    ],
    [
      'a wrong shape',
      () => changed({ 'model.safetensors': weightsWith(new Float32Array(7)) }),
      /is \[7\], needed is \[8\]/,
    ],
    [
      'NaN in the weights',
      () => changed({ 'model.safetensors': weightsWith(new Float32Array(8).fill(NaN)) }),
      /"model\.norm\.weight" holds 8 values of 8 that are NaN/,
    ],
    [
      'NaN in the reference',
      () => changed({ 'reference.safetensors': weightsWith(new Float32Array(8).fill(NaN)) }),
      /reference\.safetensors.*NaN/,
    ],
    [
      'a wrong optimizer shape',
      () => changed({ 'optimizer.safetensors': optimizerWith(`exp_avg.${norm}`, [4], new Float32Array(4)) }),
      /exp_avg\.model\.norm\.weight must have shape \[8\], found \[4\]/,
    ],
    [
      'a negative mean square',
      () =>
        changed({
          'optimizer.safetensors': optimizerWith(`exp_avg_sq.${norm}`, [8], new Float32Array(8).fill(-1)),
        }),
      /holds -1 at position 0/,
    ],
    [
      'an optimizer without step',
      () =>
        changed({ 'optimizer.safetensors': optimizerWith(`exp_avg.${norm}`, [8], new Float32Array(8), 'x') }),
      /"step", a whole number, found "x"/,
    ],
    [
      'unknown settings',
      () => changed({ 'config.json': configWith({ task: 'chess' }) }),
      /config\.json can't be used: rl_playground\.run: .*task/,
    ],
    [
      'settings that are no object',
      () => changed({ 'config.json': configWith('fast') }),
      /config\.json can't be used: rl_playground\.run/,
    ],
    [
      'an older format',
      () => changed({ 'trainer_state.json': ownState({ format_version: 1 }) }),
      /format_version is 1, this page reads 5/,
    ],
    [
      'a broken trainer state',
      () => changed({ 'trainer_state.json': ownState({ format_version: 5 }) }),
      /model_name/,
    ],
    [
      "a broken task of one's own",
      () => changed({ 'own_tasks.json': jsonBytes({ tasks: [{ name: 'x' }] }) }),
      /own_tasks\.json can't be used.*rows/s,
    ],
    ['a broken log', () => changed({ 'metrics.jsonl': text('{"step":1}\n') }), /metrics\.jsonl.*line 1/],
    [
      'a broken evaluation',
      () => changed({ 'eval_results/eval_step_0.json': jsonBytes({ step: 0 }) }),
      /eval_step_0\.json.*accuracy/,
    ],
  ])('is refused: %s', async (_, make, message) => {
    await expect(readZippedCheckpoint(make(), 'x.zip')).rejects.toThrow(ModelFileError);
    await expect(readZippedCheckpoint(make(), 'x.zip')).rejects.toThrow(message);
    await expect(readZippedCheckpoint(make(), 'x.zip')).rejects.toThrow(/^x\.zip/);
  });

  it('is refused wherever a download broke off', async () => {
    for (let length = 0; length < bytes.length; length += 997) {
      await expect(readZippedCheckpoint(bytes.subarray(0, length))).rejects.toThrow(ModelFileError);
    }
    await expect(readZippedCheckpoint(bytes.subarray(0, -1))).rejects.toThrow(/truncated or damaged/);
  });
});
