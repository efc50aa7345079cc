/** A run whose prompts say what day it is, gone on with tomorrow. */
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import {
  loadModel,
  filesInMemory,
  OpenFolder,
  type LoadedModel,
  widened,
  type EngineEnvironment,
} from '@rl-playground/engine/parts';
import { startBackend, createLocalPool } from '@rl-playground/engine/parts/tensors';
import { defaultConfig } from '../settings/presets/presets.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import { starterInNode } from '@rl-playground/engine/testing/starterFolder';
import { timeless } from '../metrics/metrics.ts';
import { wasmPathInNode } from '@rl-playground/engine/testing/wasm';
import { readZippedCheckpoint, writeCheckpoint } from '../testing/zips.ts';
import { Session } from './session.ts';
import { freshStart } from './sessionStart.ts';

const CONFIG: RunConfig = {
  ...defaultConfig('sum_digits'),
  problemsPerStep: 2,
  rolloutsPerProblem: 2,
  maxTokens: 4,
  numSteps: 2,
  numGenerators: 1,
};
const ENVIRONMENT: EngineEnvironment = { createPool: (model) => createLocalPool(model), now: () => 0 };
const DATED = "{{ strftime_now('%Y%m%d%H%M') }}{% for m in messages %}{{ m.content }}{% endfor %}=";

/** The starter, asked with the time in front. */
async function datedModel(template: string): Promise<LoadedModel> {
  const starter = starterInNode();
  const files = new Map<string, Uint8Array>([['chat_template.jinja', new TextEncoder().encode(template)]]);
  for (const name of starter.names ?? []) {
    const bytes = await new OpenFolder(starter).read(name);
    if (bytes) files.set(name, bytes);
  }
  return loadModel(filesInMemory('dated', files));
}

beforeAll(() => startBackend('wasm', { wasmPath: wasmPathInNode }));
afterEach(() => vi.useRealTimers());

const at = (time: string): unknown => vi.useFakeTimers({ toFake: ['Date'], now: new Date(time) });

test('renders the same prompts, and learns the same from them', async () => {
  const model = await datedModel(DATED);
  at('2026-03-04T23:59:30');
  const whole = await Session.open(CONFIG, freshStart(model), ENVIRONMENT);
  const [first] = await whole.trainStep({});
  const text = model.tokenizer.decode(first?.promptIds ?? []);
  expect(text).toMatch(/^202603042359/);
  const zip = await writeCheckpoint(await whole.parts());
  const wanted = await whole.trainStep({});
  const { model: trained, metrics } = await whole.parts();
  whole.dispose();

  at('2026-03-06T08:00:00');
  const parts = await readZippedCheckpoint(zip);
  const resumed = await Session.open(parts.runConfig ?? CONFIG, parts, ENVIRONMENT);
  const found = await resumed.trainStep({});
  expect(found.map(({ promptIds, tokens }) => ({ promptIds, tokens }))).toEqual(
    wanted.map(({ promptIds, tokens }) => ({ promptIds, tokens })),
  );
  const after = await resumed.parts();
  expect(after.trainerState?.promptMoment).toBe(Date.UTC(2026, 2, 4, 23, 59, 30));
  expect(await widened(after.model.weights)).toEqual(await widened(trained.weights));
  expect(timeless(after.metrics)).toEqual(timeless(metrics));
  resumed.dispose();

  const fresh = await Session.open(CONFIG, freshStart(model), ENVIRONMENT);
  const [today] = await fresh.trainStep({});
  expect(model.tokenizer.decode(today?.promptIds ?? [])).toMatch(/^202603060800/);
  fresh.dispose();
});

test('a run whose template does not look at the clock notes no time', async () => {
  const model = await datedModel('{% for m in messages %}{{ m.content }}{% endfor %}=');
  const session = await Session.open(CONFIG, freshStart(model), ENVIRONMENT);
  expect((await session.parts()).trainerState?.promptMoment).toBeUndefined();
  session.dispose();
});
