/** Machines that join a LoRA run of a model of a hub: its base comes from there where they may ask, once, and the run is the same. */
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { startBackendInNode } from '../src/backend/startInNode.ts';
import { filesInFolder } from '../src/hub/filesInNode.ts';
import { readFile } from '../src/hub/readFile.ts';
import { parseServerAddress, type ServerAddress } from '../src/machines/addresses.ts';
import { bundledFolder } from '../src/run/models/modelsInNode.ts';
import { startHub, type HubServer } from '../src/testing/hubServer.ts';
import generator from './generator.ts';
import { runAlone, runJoined, startGenerator, type Outcome } from './joinTrial.ts';
import { freePort, lacksServer, newToken, startNatsServer, type NatsServer } from './natsServer.ts';
import { settingsOf } from './settingWords.ts';

const COMMIT = 'b'.repeat(40);
const CONFIG = {
  ...settingsOf('sum_digits', 3, [
    'numSteps=1',
    'problemsPerStep=4',
    'rolloutsPerProblem=4',
    'evalSamples=4',
    'passAtK=1',
    'warmStartSteps=0',
    'maxTokens=16',
  ]),
  model: 'test/starter',
  loraRank: 4,
  baseFormat: 'q8',
} as const;

describe.skipIf(lacksServer())('a run whose base is a model of a hub', () => {
  const caches = mkdtempSync(join(tmpdir(), 'rl-playground-join-'));
  let server: NatsServer;
  let address: ServerAddress;
  let hub: HubServer;
  let files: Map<string, Uint8Array>;
  let alone: Outcome;
  const generators: ChildProcess[] = [];

  /** `npm run generator` with a cache of its own: it has nothing of what the trainer has fetched. */
  const start = (cache: string, more: readonly string[]): { said: () => string } => {
    let text = '';
    const environment = { RL_PLAYGROUND_CACHE: join(caches, cache) };
    generators.push(startGenerator(address, cache, (part) => (text += part), more, environment));
    return { said: () => text };
  };
  const weightsFetched = (): number =>
    hub.ranges
      .filter(({ path }) => path === 'model.safetensors')
      .reduce((sum, { begin, end }) => sum + end - begin, 0);
  const joined = async (): Promise<void> => {
    const found = await runJoined(CONFIG, address, { hubUrl: hub.url });
    expect(found.metrics).toEqual(alone.metrics);
    expect(found.weights).toBe(alone.weights);
  };

  beforeAll(async () => {
    vi.stubEnv('RL_PLAYGROUND_CACHE', join(caches, 'trainer'));
    await startBackendInNode();
    const folder = filesInFolder(bundledFolder('starter'));
    files = new Map();
    for (const name of folder.names ?? [])
      files.set(name, (await readFile(folder, name, {})) ?? new Uint8Array());
    hub = await startHub({ 'test/starter': { commit: COMMIT, files } });
    const [port, token] = [await freePort(), newToken()];
    server = await startNatsServer({ host: '127.0.0.1', port, webSocketPort: null, token, store: null });
    address = parseServerAddress(`nats://${token}@127.0.0.1:${port}`);
    alone = await runAlone(CONFIG, hub.url);
  }, 120_000);

  afterEach(() => {
    for (const child of generators.splice(0)) child.kill('SIGKILL');
  });

  afterAll(async () => {
    vi.unstubAllEnvs();
    await server?.close();
    await hub?.close();
    rmSync(caches, { recursive: true, force: true });
  });

  test('is fetched there by a machine that may, once for all runs of its base', async () => {
    hub.ranges.splice(0);
    const machine = start('first', ['--from-hub', '--hub-url', hub.url]);
    await joined();
    expect(machine.said()).toMatch(
      /The model’s base is test\/starter at bbbbbbbb of 127\.0\.0\.1:\d+, as the run has signed it/,
    );
    expect(weightsFetched()).toBeGreaterThanOrEqual(files.get('model.safetensors')?.length ?? NaN);
    hub.ranges.splice(0);
    await joined();
    expect(machine.said()).toContain('The model’s base is here from the run before.');
    expect(hub.ranges).toEqual([]);
  }, 120_000);

  test('comes from the run where the hub has other weights under its commit, and that is said', async () => {
    const weights = new Uint8Array(files.get('model.safetensors') ?? []);
    // Signs of a few of the last numbers, which no rounding hides.
    for (let at = weights.length - 1; at > weights.length - 256; at -= 4)
      weights[at] = (weights[at] ?? 0) ^ 0x80;
    hub.models.set('test/starter', {
      commit: COMMIT,
      files: new Map(files).set('model.safetensors', weights),
    });
    const machine = start('second', ['--from-hub', '--hub-url', hub.url]);
    await joined();
    hub.models.set('test/starter', { commit: COMMIT, files });
    expect(machine.said()).toMatch(
      /base, test\/starter at bbbbbbbb of .*, comes from the run’s server: .*another SHA-256 than the run has signed/,
    );
  }, 120_000);

  test('comes from the run where the machine was not told to ask, or was told of another hub', async () => {
    hub.ranges.splice(0);
    const machines = [start('third', []), start('fourth', ['--from-hub'])];
    await joined();
    expect(hub.ranges).toEqual([]);
    for (const { said } of machines) expect(said()).not.toContain('base');
  }, 120_000);

  test('is not for a headless Chrome, which keeps no files', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    expect(await generator(['--join', 'nats://token@127.0.0.1:1', '--from-hub', '--backend', 'webgpu'])).toBe(
      2,
    );
    expect(said.mock.calls.join()).toMatch(/leave out --from-hub or --backend webgpu/);
    said.mockRestore();
  });
});
