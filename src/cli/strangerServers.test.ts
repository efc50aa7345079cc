/** Servers that a file of a stranger names: nothing is asked of one, and no secret goes there, before somebody has allowed it. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { jsonText } from '@rl-playground/base/json';
import { defaultConfig, type TrackerPlace } from '@rl-playground/run/settings';
import { adapterLength } from '@rl-playground/engine/parts';
import { unpackPeft } from '@rl-playground/engine/parts/tensors';
import { checkpointFiles } from '@rl-playground/run/checkpoint';
import { loadModelNamed } from '@rl-playground/run/models/node';
import { modelParts } from '@rl-playground/run/testing/modelParts';
import { captured, type Captured } from './testing/captured.ts';
import { writeOpenFile } from '@rl-playground/run/disk';
import exportProgram from './export.ts';
import handoff from './handoff.ts';
import { beginRun } from './runDirectory.ts';
import { writeStart } from './startRecord.ts';
import train from './train.ts';
import { trackWords } from './trackersBeside.ts';
import { STATE_FILE, stateFolder, TrackState } from '@rl-playground/bridges/trackers';

const folder = mkdtempSync(join(tmpdir(), 'rl-playground-strangers-'));
const TOKEN = 'hf_SECRETSECRET';

/** The requests to the stranger's server. */
const seen: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];
let server: Server;
let url = '';

beforeAll(async () => {
  server = createServer((request, response) => {
    seen.push({ path: request.url ?? '', headers: request.headers });
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  vi.stubEnv('HF_TOKEN', TOKEN);
  vi.stubEnv('RL_PLAYGROUND_CACHE', join(folder, 'cache'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  seen.length = 0;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

function written(path: string, text: string): string {
  const whole = join(folder, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, text);
  return whole;
}

/** A run directory whose model is said to be at the stranger's hub, and no longer on this machine. */
function runOfStranger(name: string): string {
  const path = join(folder, name);
  beginRun(path, defaultConfig('sum_digits')).release();
  writeStart(path, {
    backend: 'wasm',
    full: false,
    model: {
      label: 'org/x',
      paths: { model: join(folder, 'gone'), adapter: null },
      origin: { name: 'org/x', revision: null, commit: 'a'.repeat(40), hubUrl: url },
      adapter: null,
    },
  });
  return path;
}

/** A checkpoint without its base, which is said to be at the stranger's hub. */
async function checkpointOfStranger(name: string): Promise<string> {
  const model = await loadModelNamed('starter');
  const settings = { rank: 2, alpha: 4, targets: ['q_proj'] } as const;
  const factors = new Float32Array(adapterLength(model.config, settings)).fill(0.5);
  const arrays = unpackPeft(model.config, settings, factors);
  const files = await checkpointFiles(modelParts(model, { settings, arrays, base: null }));
  const path = join(folder, name, 'final_model');
  for (const [file, content] of files) {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    await writeOpenFile(join(path, file), content);
  }
  const record = join(path, 'base_model.json');
  const base = JSON.parse(readFileSync(record, 'utf8')) as Record<string, unknown>;
  writeFileSync(record, jsonText({ ...base, name: 'org/x', hub_url: url }));
  return join(folder, name);
}

const WAYS: readonly (readonly [way: string, start: (...more: string[]) => Promise<Captured>])[] = [
  [
    'train --resume: run.json',
    (...more) => captured(train, '--resume', runOfStranger(`resumed${more.length}`), ...more),
  ],
  [
    'export of a checkpoint: base_model.json',
    async (...more) =>
      captured(
        exportProgram,
        '--model',
        await checkpointOfStranger('a'),
        '--out',
        join(folder, 'o'),
        ...more,
      ),
  ],
  [
    'handoff of a checkpoint: base_model.json',
    async (...more) =>
      captured(handoff, await checkpointOfStranger('b'), '--to', 'trl', '--out', join(folder, 'h'), ...more),
  ],
  [
    'train --model ADAPTER: adapter_config.json',
    (...more) => {
      const config = { peft_type: 'LORA', r: 2, lora_alpha: 4, base_model_name_or_path: `${url}/m/` };
      const path = written('adapter/adapter_config.json', JSON.stringify(config));
      return captured(train, '--model', dirname(path), ...more);
    },
  ],
  [
    'train --config FILE: model',
    (...more) => captured(train, '--config', written('settings.yaml', `model: ${url}/m/\n`), ...more),
  ],
];

describe.each(WAYS)('%s', (_, start) => {
  test('asks nothing of a server that nobody has allowed, and names it', async () => {
    const { code, stderr } = await start();
    expect(seen).toEqual([]);
    expect(code).toBe(2);
    expect(stderr).toContain(`names the server ${url}, which nobody has allowed`);
    expect(stderr).toContain(`--allow-server ${url}`);
    expect(stderr).not.toContain(TOKEN);
  });

  test('asks one that is allowed without the token', async () => {
    const { code } = await start('--allow-server', url);
    expect(code).toBe(2);
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
  });
});

test('the token goes to the server that --hub-url names', async () => {
  await captured(train, '--resume', runOfStranger('mine'), '--hub-url', url);
  expect(seen.length).toBeGreaterThan(0);
  expect(new Set(seen.map(({ headers }) => headers.authorization))).toEqual(new Set([`Bearer ${TOKEN}`]));
});

describe('a tracker whose place only a run directory names', () => {
  const KEYS = { WANDB_API_KEY: 'wandb-secret', TRACKIO_WRITE_TOKEN: 't', MLFLOW_TRACKING_TOKEN: 'm' };
  const resumed = (target: string, place: TrackerPlace, environment: Readonly<Record<string, string>>) => {
    for (const [name, value] of Object.entries({ ...KEYS, ...environment })) vi.stubEnv(name, value);
    const path = runOfStranger(
      `tracked-${target}-${Object.keys(place).join('-')}-${Object.keys(environment).length}`,
    );
    TrackState.open(path, stateFolder(path, target, 'there'), { destination: 'there', place });
    return captured(train, '--resume', path, '--track', target);
  };

  test.each([
    ['wandb', 'WANDB_BASE_URL'],
    ['mlflow', 'MLFLOW_TRACKING_URI'],
    ['trackio', 'TRACKIO_SERVER_URL'],
  ])('%s: its server is refused, but where the environment names it too', async (target, variable) => {
    const refused = await resumed(target, { url }, {});
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`names the server ${url}, and nothing else does`);
    expect(refused.stderr).toContain(`set ${variable}`);
    // Then it is the model that is refused, which comes behind the trackers.
    expect((await resumed(target, { url }, { [variable]: url })).stderr).toContain('--allow-server');
    expect(seen).toEqual([]);
  });

  test.each<TrackerPlace>([{ name: '--url=http://127.0.0.1:9' }, { project: '--to', name: 'trackio' }])(
    'no value becomes an option: %j',
    (place) => {
      expect(trackWords({ target: 'wandb', place })).toEqual([
        '--to=wandb',
        ...Object.entries(place).map(([option, value]) => `--${option}=${value}`),
      ]);
    },
  );

  test('a state that holds more than a place is refused', async () => {
    vi.stubEnv('WANDB_API_KEY', 'wandb-secret');
    const path = runOfStranger('more');
    const kept = stateFolder(path, 'wandb', 'there');
    TrackState.open(path, kept, { destination: 'there', place: {} });
    const state = JSON.parse(readFileSync(join(kept, STATE_FILE), 'utf8')) as Record<string, unknown>;
    writeFileSync(join(kept, STATE_FILE), jsonText({ ...state, place: { '--url': url } }));
    const { code, stderr } = await captured(train, '--resume', path, '--track', 'wandb');
    expect(code).toBe(2);
    expect(stderr).toContain(`${join(kept, STATE_FILE)} can't be read`);
    expect(seen).toEqual([]);
  });

  test('trackio: its Space is refused', async () => {
    const { code, stderr } = await resumed('trackio', { space: 'stranger/space' }, {});
    expect(code).toBe(2);
    expect(stderr).toContain('names the Space stranger/space, and nothing else does');
  });

  test('tensorboard: a folder outside of the run directory is refused', async () => {
    const { code, stderr } = await resumed('tensorboard', { dir: folder }, {});
    expect(code).toBe(2);
    expect(stderr).toContain(`names the folder ${folder}, which is not of the run directory`);
  });
});
