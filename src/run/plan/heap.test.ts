/** The plan beside the bytes that a run really takes of the wasm heap. */
import { LOCAL_ENVIRONMENT, startBackend, tf } from '@rl-playground/engine/parts/tensors';
import { beforeAll, expect, test } from 'vitest';
import { starterInNode } from '@rl-playground/engine/testing/starterFolder';
import { wasmPathInNode } from '@rl-playground/engine/testing/wasm';
import { watchHeapBytes } from '@rl-playground/engine/testing/heapBytes';
import { tinyStarter } from '@rl-playground/engine/testing/tinyStarter';
import type { RunConfig } from '../settings/schema/schema.ts';
import { Session } from '../session/session.ts';
import { freshStart } from '../session/sessionStart.ts';
import { MEASURED_CONFIG, MEASURED_LORA, MEASURED_SHAPE } from '../testing/measuredRun.ts';
import { UNKNOWN_LIMITS } from './limits.ts';
import { modelOfLoaded } from './model.ts';
import { planRun } from './plan.ts';

const CONFIG: RunConfig = { ...MEASURED_CONFIG, generatorPlacement: 'page' };
const SHAPE = { ...MEASURED_SHAPE, num_hidden_layers: 4 };

/** The items of a plan that JavaScript holds beside the heap. */
const BESIDE = [
  'read-back of what is trained',
  'weights handed over',
  'reference for checkpoints',
  'copy to undo a failed step',
  'weights of past steps',
  'copies at load',
];

beforeAll(() => startBackend('wasm', { wasmPath: wasmPathInNode }));

test.each<Partial<RunConfig>>([
  { maxTokens: 48, microBatchTokens: 512 },
  MEASURED_LORA,
  { ...MEASURED_LORA, baseFormat: 'q8', microBatchTokens: 512 },
])('a run takes of the heap what was planned, within 15 %%: %j', async (settings) => {
  const config = { ...CONFIG, ...settings };
  // A plan is for answers that are as long as they may be.
  const model = { ...(await tinyStarter(starterInNode(), 1, SHAPE)), stopTokenIds: [], stopStrings: [] };
  const request = { model: modelOfLoaded(model, config), config, limits: UNKNOWN_LIMITS, rates: null };
  const { items } = planRun({ ...request, backend: 'wasm' });
  const planned = items
    .filter(({ name }) => !BESIDE.includes(name))
    .reduce((bytes, item) => bytes + item.bytes, 0);
  const watch = watchHeapBytes(tf.backend());
  const session = await Session.open(config, freshStart(model), LOCAL_ENVIRONMENT);
  await session.evaluate({});
  for (let step = 0; step < 2; step++) await session.trainStep({});
  session.dispose();
  expect(planned / watch.peak()).toBeGreaterThan(0.85);
  expect(planned / watch.peak()).toBeLessThan(1.15);
});
