/** Programs that name a model of the Hub: what they fetch, what stays on this machine, and what they say. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { filesInFolder } from '../src/hub/filesInNode.ts';
import { readFile } from '../src/hub/readFile.ts';
import { bundledFolder, findModelNamed, loadModelNamed } from '../src/run/models/modelsInNode.ts';
import { startHub, type HubServer } from '../src/testing/hubServer.ts';
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
    files.set(name, (await readFile(folder, name, {})) ?? new Uint8Array());
  weightBytes = files.get('model.safetensors')?.length ?? 0;
  hub = await startHub({ 'test/words': { commit: COMMIT, files } });
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
