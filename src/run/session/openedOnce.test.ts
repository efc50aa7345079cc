/** The way from files to a run: each file is opened once, each of its bytes is read once, and what is JSON is parsed once. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  adapterLength,
  filesInMemory,
  listedFiles,
  openBytes,
  peftConfigFile,
  widened,
  writeSafetensors,
  type LoraSettings,
  type ModelFiles,
  type OpenFile,
} from '@rl-playground/engine/parts';
import { filesInFolder } from '@rl-playground/engine/parts/node';
import { unpackPeft } from '@rl-playground/engine/parts/tensors';
import { tinyModelFolder } from '@rl-playground/engine/testing/modelFolder';
import { contents, openZip, zipBytes } from '@rl-playground/engine/testing/zips';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { withBase } from '../checkpoint/baseModel.ts';
import { checkpointFiles } from '../checkpoint/checkpoint.ts';
import type { CheckpointParts } from '../checkpoint/checkpointParts.ts';
import { readCheckpoint } from '../checkpoint/readCheckpoint.ts';
import { openedDirectory } from '../directory/openedDirectory.ts';
import { runFiles } from '../directory/runDirectory.ts';
import { withKeptBase } from '../kept/keptBase.ts';
import { RunLog } from '../records/runLog.ts';
import { defaultConfig } from '../settings/presets/presets.ts';
import { tinyCheckpointParts } from '../testing/tinyCheckpoint.ts';
import { openedModel } from './opening.ts';

const LORA: LoraSettings = { rank: 2, alpha: 3, targets: ['q_proj', 'down_proj'] };

/** The number of times that each file was opened, and that each of its bytes was read. */
interface Counts {
  readonly opened: Map<string, number>;
  readonly read: Map<string, Uint8Array>;
}

const more = (counts: Map<string, number>, name: string): Map<string, number> =>
  counts.set(name, (counts.get(name) ?? 0) + 1);

function countedFile(file: OpenFile, name: string, { read }: Counts): OpenFile {
  const times = read.get(name) ?? new Uint8Array(file.size);
  read.set(name, times);
  return {
    size: file.size,
    read: (begin, end) => {
      for (let i = begin; i < end; i++) times[i] = (times[i] ?? 0) + 1;
      return file.read(begin, end);
    },
  };
}

const counted = (files: ModelFiles, counts: Counts): ModelFiles => ({
  label: files.label,
  ...(files.names && { names: files.names }),
  open: async (name, options) => {
    const file = await files.open(name, options);
    if (file === null) return null;
    more(counts.opened, name);
    return countedFile(file, name, counts);
  },
});

/**
 * Opens a run twice, and counts the second time: a tokenizer is tried before it is used, which parses it by itself, and is then known to be
 * sound. Gives the names of the files that were read.
 */
async function readOnce(
  all: ReadonlyMap<string, Uint8Array>,
  files: () => ModelFiles | Promise<ModelFiles>,
  open: (files: ModelFiles) => Promise<unknown>,
): Promise<string[]> {
  await open(await files());
  const counts: Counts = { opened: new Map(), read: new Map() };
  const source = counted(await files(), counts);
  const parse = vi.spyOn(JSON, 'parse');
  onTestFinished(() => parse.mockRestore());
  await open(source);
  const parsed = parse.mock.calls.reduce((found, [text]) => more(found, text), new Map<string, number>());
  parse.mockRestore();
  expect(Object.fromEntries([...counts.opened].filter(([, times]) => times !== 1))).toEqual({});
  const most = [...counts.read].map(([name, times]) => [name, times.reduce((a, b) => Math.max(a, b), 0)]);
  expect(Object.fromEntries(most.filter(([, times]) => Number(times) > 1))).toEqual({});
  for (const [name, times] of counts.read) {
    if (!/\.jsonl?$/.test(name) || times.every((each) => each === 0)) continue;
    const text = new TextDecoder().decode(all.get(name));
    const texts = name.endsWith('.jsonl') ? text.split('\n').filter((line) => line !== '') : [text];
    const over = texts.filter((each) => (parsed.get(each) ?? 0) > 1);
    expect({ name, over }).toEqual({ name, over: [] });
  }
  return most.flatMap(([name, times]) => (Number(times) > 0 ? [String(name)] : [])).sort();
}

/** A run with an adapter: merged into a base that lies beside it, or beside a frozen one. */
async function withAdapter(parts: CheckpointParts, frozen: boolean): Promise<CheckpointParts> {
  const { model } = parts;
  const pool = Float32Array.from({ length: adapterLength(model.config, LORA) }, (_, i) => Math.cos(i));
  const base = frozen ? null : await widened(model.weights);
  const adapter = { settings: LORA, arrays: unpackPeft(model.config, LORA, pool), base };
  return { ...parts, model: { ...model, contentHash: null }, adapter, optimizer: null, reference: null };
}

describe('each file is opened, read and parsed once', () => {
  let parts: CheckpointParts;
  let all: Map<string, Uint8Array>;
  const open = (files: ModelFiles): Promise<CheckpointParts> => readCheckpoint(files);
  beforeAll(async () => {
    const whole = await tinyCheckpointParts();
    const sftFile = {
      name: 'mine.jsonl',
      rows: [{ prompt: [{ role: 'user', content: 'a' } as const], completion: 'b' }],
    };
    const runConfig = { ...defaultConfig('sum_digits'), warmStartSteps: 2, warmStartData: sftFile.name };
    parts = { ...whole, runConfig, sftFile };
    all = await contents(await checkpointFiles(parts));
  });

  test('of a checkpoint in memory, and as a folder of this machine', async () => {
    expect(await readOnce(all, () => filesInMemory('checkpoint', all), open)).toEqual(
      [...all.keys()].filter((name) => name !== 'README.md').sort(),
    );
    const folder = mkdtempSync(join(tmpdir(), 'read-once-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const [name, bytes] of all) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), bytes);
    }
    expect(await readOnce(all, () => filesInFolder(folder), open)).toContain('own_tasks.json');
  });

  test('of a zip of an adapter with its base', async () => {
    const files = await checkpointFiles(await withAdapter(parts, false));
    const zip = await zipBytes(files);
    const read = await readOnce(await contents(files), () => openZip(zip), open);
    expect(read).toContain('base/model.safetensors');
    expect(read).toContain('adapter/adapter_config.json');
  });

  test('of a run directory, whole or broken off', async () => {
    const log = new RunLog();
    log.addCheckpoint(12, await checkpointFiles(parts));
    log.store(12, { steps: 1, file: openBytes(new TextEncoder().encode('{"step":12,"group":0}\n')) });
    const files = await contents(await runFiles(parts, log, { name: 'kind-crane-7' }));
    for (const folder of ['final_model', 'checkpoint-12']) {
      const read = await readOnce(
        files,
        () => filesInMemory('run', files),
        (directory) => openedDirectory(directory, folder, open),
      );
      expect(read).toContain(`${folder}/model.safetensors`);
      expect(read).toContain('label.json');
    }
  });

  test('of a kept run, whose adapter lies beside a base', async () => {
    const run = await withAdapter(parts, true);
    const files = withBase(await checkpointFiles(run), run.model);
    const read = await readOnce(
      await contents(files),
      () => listedFiles('kept', files),
      async (commit) => open(await withKeptBase(commit)),
    );
    expect(read).toContain('base_model.json');
    expect(read).toContain('base/tokenizer.json');
  });

  test('of a model and an adapter beside it', async () => {
    const { adapter } = await withAdapter(parts, true);
    const own = new Map([
      ['adapter_config.json', peftConfigFile(LORA, { name: 'anywhere', revision: null })],
      ['adapter_model.safetensors', writeSafetensors(adapter?.arrays ?? new Map())],
    ]);
    const model = tinyModelFolder();
    const beside = (base: ModelFiles, files: ModelFiles) => openedModel(base, files);
    await readOnce(
      model,
      () => filesInMemory('base', model),
      (files) => beside(files, filesInMemory('adapter', own)),
    );
    const read = await readOnce(
      own,
      () => filesInMemory('adapter', own),
      (files) => beside(filesInMemory('base', model), files),
    );
    expect(read).toEqual([...own.keys()]);
  });
});
