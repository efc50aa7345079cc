/** Machines that join a LoRA run of a model of a hub: its base comes from there where they may ask, once, and the run is the same. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { startBackendInNode } from '@rl-playground/engine/parts/startInNode';
import { filesInFolder } from '@rl-playground/engine/parts/node';
import { OpenFolder, filesOf } from '@rl-playground/engine/parts';
import { connectInNode } from '@rl-playground/machines/node';
import type { HubAccess } from '@rl-playground/machines/joining';
import { bundledFolder } from '@rl-playground/run/models/node';
import { startHub, type HubServer } from '@rl-playground/engine/testing/hubServer';
import generator, { hubFor } from './generator.ts';
import {
  isHere,
  machineHere,
  MachinesSeen,
  runAlone,
  runJoined,
  startGenerator,
  type JoinedOptions,
  type Outcome,
} from '@rl-playground/machines/testing/joinTrial';
import { lacksServer, startLocalServer, type LocalServer } from './testing/localServer.ts';
import { settingsOf } from './testing/settingWords.ts';

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
  let server: LocalServer;
  let hub: HubServer;
  let files: Map<string, Uint8Array>;
  let alone: Outcome;
  const ends: (() => unknown)[] = [];

  /** `npx rl-playground generator` with a cache of its own: it has nothing of what the trainer has fetched. `said` resolves when it has said such a thing. */
  const start = (cache: string, more: readonly string[]): { said: (words: RegExp) => Promise<void> } => {
    let text = '';
    let look: () => void = () => undefined;
    const environment = { RL_PLAYGROUND_CACHE: join(caches, cache) };
    const hear = (part: string): void => {
      text += part;
      look();
    };
    const child = startGenerator(server.address, cache, hear, more, environment);
    ends.push(() => child.kill('SIGKILL'));
    return {
      said: (words) =>
        new Promise((resolve) => {
          look = () => words.test(text) && resolve();
          look();
        }),
    };
  };
  /** A machine of this process, and what it says of the base. */
  const here = async (name: string, access: HubAccess | undefined) => {
    const connection = await connectInNode(server.address, name);
    const said: string[] = [];
    const machine = machineHere(connection, name, {
      hub: access,
      onNews: (news) => void (news.kind === 'base' && said.push(news.text)),
    });
    const stop = async (): Promise<void> => {
      await machine.stop();
      await connection.close();
    };
    ends.push(stop);
    return { said, stop };
  };
  const weightsFetched = (): number =>
    hub.ranges
      .filter(({ path }) => path === 'model.safetensors')
      .reduce((sum, { begin, end }) => sum + end - begin, 0);
  const joined = async (options: JoinedOptions = {}): Promise<void> => {
    const found = await runJoined(CONFIG, server.address, { hubUrl: hub.url, ...options });
    expect(found.metrics).toEqual(alone.metrics);
    expect(found.weights).toBe(alone.weights);
  };

  beforeAll(async () => {
    vi.stubEnv('RL_PLAYGROUND_CACHE', join(caches, 'trainer'));
    await startBackendInNode();
    const folder = filesInFolder(bundledFolder('starter'));
    files = new Map();
    for (const name of folder.names ?? [])
      files.set(name, (await new OpenFolder(folder).read(name)) ?? new Uint8Array());
    hub = await startHub({ 'test/starter': { commit: COMMIT, files } });
    server = await startLocalServer();
    alone = await runAlone(CONFIG, hub.url);
  });

  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
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
    await machine.said(
      /The model’s base is test\/starter at bbbbbbbb of 127\.0\.0\.1:\d+, as the run has signed it/,
    );
    expect(weightsFetched()).toBeGreaterThanOrEqual(files.get('model.safetensors')?.length ?? NaN);
    hub.ranges.splice(0);
    await joined();
    await machine.said(/The model’s base is here from the run before\./);
    expect(hub.ranges).toEqual([]);
  });

  test('comes from the run where the hub has other weights under its commit, and that is said', async () => {
    const weights = new Uint8Array(files.get('model.safetensors') ?? []);
    // Signs of a few of the last numbers, which no rounding hides.
    for (let at = weights.length - 1; at > weights.length - 256; at -= 4)
      weights[at] = (weights[at] ?? 0) ^ 0x80;
    hub.models.set('test/starter', {
      commit: COMMIT,
      files: new Map(files).set('model.safetensors', weights),
    });
    // What the trainer has fetched is here as well, and so is read from the hub once more.
    const fetched: HubAccess['fetched'] = (model) => Promise.resolve(filesOf(model));
    const { said } = await here('second', { mayAsk: (url) => url === hub.url, asking: {}, fetched });
    await joined().finally(() => hub.models.set('test/starter', { commit: COMMIT, files }));
    expect(said).toEqual([
      expect.stringMatching(
        /base, test\/starter at bbbbbbbb of .*, comes from the run’s server: .*another SHA-256 than the run has signed/,
      ),
    ]);
  });

  test('comes from the run where the machine was not told to ask, or was told of another hub', async () => {
    hub.ranges.splice(0);
    const third = await here('third', hubFor({}));
    const seen = new MachinesSeen();
    const begun: Awaited<ReturnType<typeof here>>[] = [];
    await joined({
      seen,
      async onStep() {
        await third.stop();
        // Its hub is the Hub, and the run's is another.
        begun.push(await here('fourth', hubFor({ fromHub: true })));
        await seen.until(isHere('fourth'));
      },
    });
    expect(hub.ranges).toEqual([]);
    expect(begun).toHaveLength(1);
    for (const { said } of [third, ...begun]) expect(said).toEqual([]);
  });

  test('is not for a headless Chrome, which keeps no files', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    expect(await generator(['--join', 'nats://token@127.0.0.1:1', '--from-hub', '--backend', 'webgpu'])).toBe(
      2,
    );
    expect(said.mock.calls.join()).toMatch(/leave out --from-hub or --backend webgpu/);
    said.mockRestore();
  });
});
