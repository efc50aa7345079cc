/** The plan beside the bytes that a run really asks its device for. */
import { filesAtUrl } from '@rl-playground/engine/parts';
import {
  LOCAL_ENVIRONMENT,
  gpuDispatcher,
  closeGpu,
  startBackend,
  tf,
} from '@rl-playground/engine/parts/tensors';
import { beforeEach, expect, test } from 'vitest';
import type { RunConfig } from '../settings/schema/schema.ts';
import { everyCase } from '@rl-playground/engine/testing/gpu';
import { watchGpuBytes } from '@rl-playground/engine/testing/gpuBytes';
import { tinyStarter } from '@rl-playground/engine/testing/tinyStarter';
import { Session } from '../session/session.ts';
import { freshStart } from '../session/sessionStart.ts';
import { MEASURED_CONFIG, MEASURED_LORA, MEASURED_SHAPE } from '../testing/measuredRun.ts';
import { UNKNOWN_LIMITS } from './limits.ts';
import { modelOfLoaded } from './model.ts';
import { planRun } from './plan.ts';

beforeEach(async () => {
  closeGpu();
  await startBackend('webgpu');
});

const WHOLE: Partial<RunConfig> = {};
const FROZEN: Partial<RunConfig> = { ...MEASURED_LORA, baseFormat: '16bit', generatorPlacement: 'page' };
const SIX: readonly Partial<RunConfig>[] = [
  WHOLE,
  { maxTokens: 48, microBatchTokens: 512 },
  MEASURED_LORA,
  { ...MEASURED_LORA, baseFormat: 'f32', generatorPlacement: 'page' },
  FROZEN,
  { ...MEASURED_LORA, baseFormat: 'q8', generatorPlacement: 'page', microBatchTokens: 512 },
];

test.skipIf(!everyCase).each(SIX)(
  'a run asks its GPU for what was planned, within 15 %%: %j',
  async (settings) => {
    const config = { ...MEASURED_CONFIG, ...settings };
    const starter = await tinyStarter(filesAtUrl('starter', '/models/starter'), 1, MEASURED_SHAPE);
    // A plan is for answers that are as long as they may be.
    const model = { ...starter, stopTokenIds: [], stopStrings: [] };
    const request = { model: modelOfLoaded(model, config), config, limits: UNKNOWN_LIMITS, rates: null };
    const plan = planRun({ ...request, backend: 'webgpu' });
    const watch = watchGpuBytes(gpuDispatcher(tf.backend()).device);
    const session = await Session.open(config, freshStart(model), LOCAL_ENVIRONMENT);
    await session.evaluate({});
    // Tensors of the second step find buffers of the first, of other sizes, still there.
    for (let step = 0; step < 2; step++) await session.trainStep({});
    session.dispose();
    const measured = watch.peak();
    watch.stop();
    expect(plan.peak.gpu / measured).toBeGreaterThan(0.85);
    expect(plan.peak.gpu / measured).toBeLessThan(1.15);
  },
);
