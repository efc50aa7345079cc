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
import { defaultConfig } from '../settings/presets/presets.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import { everyCase } from '@rl-playground/engine/testing/gpu';
import { watchGpuBytes } from '@rl-playground/engine/testing/gpuBytes';
import { tinyStarter } from '@rl-playground/engine/testing/tinyStarter';
import { Session } from '../session/session.ts';
import { freshStart } from '../session/sessionStart.ts';
import { UNKNOWN_LIMITS } from './limits.ts';
import { modelOfLoaded } from './model.ts';
import { planRun } from './plan.ts';

/** Large enough for weights, activations and logits to count, small enough for a software adapter. */
const SHAPE = {
  hidden_size: 128,
  intermediate_size: 352,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  vocab_size: 3072,
};
const CONFIG: RunConfig = {
  ...defaultConfig('reverse_digits'),
  loss: 'reinforce',
  baseline: 'moving',
  numGenerators: 1,
  problemsPerStep: 2,
  rolloutsPerProblem: 4,
  maxTokens: 24,
  microBatchTokens: 256,
  evalSamples: 2,
};
const LORA = { loraRank: 16, loraAlpha: 16 };

beforeEach(async () => {
  closeGpu();
  await startBackend('webgpu');
});

const WHOLE: Partial<RunConfig> = {};
const FROZEN: Partial<RunConfig> = { ...LORA, baseFormat: '16bit', generatorPlacement: 'page' };
const SIX: readonly Partial<RunConfig>[] = [
  WHOLE,
  { maxTokens: 48, microBatchTokens: 512 },
  LORA,
  { ...LORA, baseFormat: 'f32', generatorPlacement: 'page' },
  FROZEN,
  { ...LORA, baseFormat: 'q8', generatorPlacement: 'page', microBatchTokens: 512 },
];

test.skipIf(!everyCase).each(SIX)(
  'a run asks its GPU for what was planned, within 15 %%: %j',
  async (settings) => {
    const config = { ...CONFIG, ...settings };
    const starter = await tinyStarter(filesAtUrl('starter', '/models/starter'), 1, SHAPE);
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
