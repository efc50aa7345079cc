/** Programs that name a model of the Hub: what they fetch, what stays on this machine, and what they say. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { filesInFolder } from '@rl-playground/engine/parts/node';
import {
  OpenFolder,
  loadModel,
  peftConfigFile,
  writeSafetensors,
  type LoadedModel,
  adapterLength,
  type LoraSettings,
} from '@rl-playground/engine/parts';
import { unpackPeft } from '@rl-playground/engine/parts/tensors';
import {
  bundledFolder,
  findModelNamed,
  loadModelNamed,
  modelFilesNamed,
} from '@rl-playground/run/models/node';
import { readRun } from './exportSource.ts';
import { ggufBytes, tinyGguf } from '@rl-playground/engine/testing/ggufBytes';
import { startHub, type HubServer } from '@rl-playground/engine/testing/hubServer';
import plan from './plan.ts';

const COMMIT = 'a'.repeat(40);
const cache = mkdtempSync(join(tmpdir(), 'rl-playground-cache-'));

let hub: HubServer;
let weightBytes = 0;
beforeAll(async () => {
  vi.stubEnv('RL_PLAYGROUND_CACHE', cache);
  const folder = filesInFolder(bundledFolder('starter-words'));
  const files = new Map<string, Uint8Array>();
  for (const name of folder.names ?? [])
    files.set(name, (await new OpenFolder(folder).read(name)) ?? new Uint8Array());
  weightBytes = files.get('model.safetensors')?.length ?? 0;
  const adapter = await adapterOf(await loadModel(folder), { name: 'test/words', revision: COMMIT });
  const lost = await adapterOf(await loadModel(folder), { name: '/on/another/machine', revision: null });
  hub = await startHub({
    'test/words': { commit: COMMIT, files },
    'test/adapter': { commit: COMMIT, files: adapter },
    'test/lost': { commit: COMMIT, files: lost },
    'test/tiny-GGUF': {
      commit: COMMIT,
      files: new Map([
        ['tiny-Q8_0.gguf', ggufBytes(tinyGguf())],
        ['tiny-F16.gguf', new Uint8Array(4e5)],
      ]),
    },
  });
});
afterEach(() => {
  hub.ranges.splice(0);
  vi.restoreAllMocks();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await hub.close();
  rmSync(cache, { recursive: true, force: true });
});

const SETTINGS: LoraSettings = { rank: 2, alpha: 3, targets: ['q_proj', 'down_proj'] };
const factors = ({ config }: LoadedModel) =>
  unpackPeft(
    config,
    SETTINGS,
    Float32Array.from({ length: adapterLength(config, SETTINGS) }, (_, i) => Math.cos(i)),
  );

/** The files of an adapter, as its repository has them: with a tokenizer, as trainers leave one. */
const adapterOf = async (
  model: LoadedModel,
  base: { name: string; revision: string | null },
): Promise<Map<string, Uint8Array>> =>
  new Map([
    ['adapter_config.json', peftConfigFile(SETTINGS, base)],
    ['adapter_model.safetensors', writeSafetensors(factors(model))],
    ['tokenizer.json', new Uint8Array(3)],
  ]);

const fetchedBytes = (): number => hub.ranges.reduce((sum, { begin, end }) => sum + end - begin, 0);

describe('a model of the Hub', () => {
  test('is fetched once, and is the one that was served', async () => {
    const local = await loadModelNamed('starter-words');
    const model = await loadModelNamed('test/words', { hubUrl: hub.url });
    expect(model.name).toBe('test/words');
    expect(model.origin).toMatchObject({ name: 'test/words', commit: COMMIT });
    expect(model.contentHash).toBe(local.contentHash);
    expect(fetchedBytes()).toBeGreaterThan(weightBytes);
    hub.ranges.splice(0);
    expect((await loadModelNamed(`test/words@${COMMIT}`, { hubUrl: hub.url })).contentHash).toBe(
      local.contentHash,
    );
    expect(hub.ranges).toEqual([]);
    const [folder = ''] = readdirSync(join(cache, 'models'));
    expect(readdirSync(join(cache, 'models', folder)).filter((name) => name.includes('.part'))).toEqual([]);
  });

  test('is told apart from paths and bundled models, which come first', async () => {
    expect((await findModelNamed('starter')).remoteBytes).toBe(0);
    await expect(findModelNamed('./test/words', { hubUrl: hub.url })).rejects.toThrow('does not exist');
    await expect(findModelNamed('words')).rejects.toThrow(/no model "words".*org\/name/);
  });

  test('is planned before its weights are fetched', async () => {
    const out = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    expect(await plan(['--model', 'test/words', '--hub-url', hub.url, '--json'])).toBe(0);
    expect(JSON.parse(String(out.mock.calls[0]?.[0]))).toMatchObject({ fits: true });
    expect(hub.ranges.map(({ path }) => path)).not.toContain('tokenizer.json');
    expect(fetchedBytes()).toBeLessThan(2 ** 20);
  });
});

describe('an adapter of the Hub', () => {
  test('brings the commit of its base along that it names', async () => {
    const options = { hubUrl: hub.url };
    const found = await findModelNamed('test/adapter', options);
    expect([found.model.label, found.adapter?.label]).toEqual([`test/words@${COMMIT}`, 'test/adapter']);
    const { model, adapter } = await readRun('test/adapter', null, options);
    expect(model.origin).toMatchObject({ name: 'test/words', commit: COMMIT });
    expect(adapter).toEqual({ settings: SETTINGS, arrays: factors(model), base: null });
    // The base of another name, as for one that the adapter knows by a path of another machine.
    const beside = await readRun('test/lost', 'test/words', options);
    expect(beside.model.contentHash).toBe(model.contentHash);
    expect(beside.adapter).toEqual(adapter);
    const asked = await modelFilesNamed('test/words', options, 'test/lost');
    expect([asked.model.label, asked.adapter?.label]).toEqual(['test/words', 'test/lost']);
  });

  test('is refused where its base is not to be had, where it has one already, and as a model', async () => {
    const options = { hubUrl: hub.url };
    await expect(findModelNamed('test/lost', options)).rejects.toThrow(
      /LoRA adapter of \/on\/another\/machine.*does not exist.*--adapter/,
    );
    await expect(findModelNamed('test/adapter', options, 'test/lost')).rejects.toThrow(
      /is itself a LoRA adapter/,
    );
    await expect(loadModelNamed('test/adapter', options)).rejects.toThrow(/a model is needed.*test\/words/);
  });
});

test('a GGUF file of a repository is read by its header first, fetched, and loaded under its name', async () => {
  const options = { hubUrl: hub.url };
  const name = 'test/tiny-GGUF:Q8_0';
  const { model, remoteBytes } = await findModelNamed(name, options);
  expect(model.names).toContain('tokenizer.json');
  expect(remoteBytes).toBe(ggufBytes(tinyGguf()).length);
  const loaded = await loadModelNamed(`${name}@${COMMIT}`, options);
  expect(loaded).toMatchObject({
    name: `test/tiny-GGUF@${COMMIT}:Q8_0`,
    origin: { name: 'test/tiny-GGUF:tiny-Q8_0.gguf', commit: COMMIT },
  });
  expect(loaded.weights.get('model.embed_tokens.weight')?.dtype).toBe('Q8_0');
  await expect(findModelNamed('test/tiny-GGUF', options)).rejects.toThrow(
    'has no config.json, but 2 GGUF files: tiny-Q8_0.gguf',
  );
});
