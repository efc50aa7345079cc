/** Counts what decoding and training ask of a GPU: dispatches a token and a layer, bytes of weights a token, waits of the host. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gpuDispatcher } from '../backend/dispatch.ts';
import { startBackend } from '../backend/start.ts';
import * as tf from '../backend/tf.ts';
import type { DecodePlan } from '../kernels/decode/index.ts';
import { freshInputs } from '../kernels/testing/random.ts';
import { PLAIN_LOSS, tokenLoss } from '../loss/losses.ts';
import { weightsOfWhole } from '../loss/reduction.ts';
import type { FrozenBase } from '../model/frozenBase.ts';
import { parameterSpecs } from '../model/parameters.ts';
import { LAYER_TARGETS } from '../model/loraTargets.ts';
import type { GeneratorModel } from '../rollout/decoding/decoder.ts';
import { GpuDecoder } from '../rollout/gpu/decoder.ts';
import { FrozenWeights } from '../rollout/gpu/frozenWeights.ts';
import { PLAIN_DRAWS, planSteps } from '../rollout/gpu/steps.ts';
import { randomAdapterPool } from '../testing/adaptedModels.ts';
import { randomFrozenBase } from '../testing/frozenBases.ts';
import { decodePlan, failOnDeviceProblems } from '../testing/gpu.ts';
import { watchGpuCalls } from '../testing/gpuCalls.ts';
import { TINY_CONFIGS, tinyModel } from '../testing/tinyModels.ts';
import { packMicrobatches } from './batch.ts';
import { Optimizer } from './optimizer.ts';
import { trainStep } from './trainer.ts';

await startBackend('webgpu');
failOnDeviceProblems();

const config = TINY_CONFIGS.gqa;
const gpu = gpuDispatcher(tf.backend());
const random = freshInputs();
const breathe = (): Promise<void> => Promise.resolve();
const LORA = { rank: 8, alpha: 16, targets: LAYER_TARGETS };
const BOTH = [
  ['without an adapter', null],
  ['with an adapter of all maps', LORA],
] as const;
/** The dispatches of a token outside of the layers: the list of rows, the embedding, the head, the draw. */
const AROUND = 4;

let base: FrozenBase;
beforeAll(async () => {
  base = await randomFrozenBase(config, 'bf16', random);
});
afterAll(() => base.dispose());

/** The buffers of all matrices of the base. Their label tells nothing, because a buffer that was freed is used again under it. */
const matrixBuffers = (): ReadonlySet<GPUBuffer> =>
  new Set(
    parameterSpecs(config)
      .filter(({ shape }) => shape.length === 2)
      .flatMap(({ name }) => base.matrix(name).blocks.map(({ words }) => gpu.bufferOf(words))),
  );

const modelWith = (lora: typeof LORA | null): GeneratorModel => ({
  config,
  ...(lora && { lora }),
  frozen: base.formats,
  stopTokenIds: [],
  positions: 48,
});

const answer = (engine: GpuDecoder, maxTokens: number) =>
  engine.generate(
    [{ promptIds: [3, 7, 5], samples: 1, seed: 1, step: 1, problem: 0 }],
    { temperature: 0.9, topP: 1, topK: 0, stop: [], maxTokens },
    { breathe },
  );

const DISPATCHES: Readonly<Record<DecodePlan, readonly [alone: number, adapted: number]>> = {
  // Attention computes x·A of the map behind it.
  groups: [5, 8],
  items: [5, 9],
  quads: [5, 9],
};

describe.each(BOTH)('a token in a layer, %s', (_, lora) => {
  const wanted = (plan: DecodePlan): number => DISPATCHES[plan][lora ? 1 : 0];

  test('is as many dispatches on the device, and reads each weight once', async () => {
    const engine = new GpuDecoder(gpu.device, modelWith(lora), decodePlan, 'f32');
    engine.setBase(base);
    if (lora) engine.setAdapter(randomAdapterPool(config, lora, random));
    const calls = watchGpuCalls(gpu.device);
    await answer(engine, 3);
    const short = calls.dispatches.splice(0);
    expect(calls.waits).toBe(1);
    await answer(engine, 4);
    calls.restore();
    engine.dispose();
    expect(calls.waits).toBe(2);
    const token = calls.dispatches.slice(short.length - calls.dispatches.length);
    expect(token).toHaveLength(AROUND + wanted(decodePlan) * config.layers);
    const weights = matrixBuffers();
    // The embedding, of which a token reads one row, is bound by the second dispatch. A number is 2 bytes.
    const read = token
      .filter((_, i) => i !== 1)
      .flatMap((bound) => [...bound])
      .reduce((sum, [buffer, bytes]) => sum + (weights.has(buffer) ? bytes : 0), 0);
    expect(read).toBe(2 * 24 * (config.layers * (64 + 32 + 80 + 40) + 29));
  });

  test.each([
    ['groups', 48],
    ['groups', 2000],
    ['items', 48],
    ['quads', 2000],
  ] as const)('is as many dispatches in the list of %s for %i positions', (plan, positions) => {
    const weights = new FrozenWeights(gpu, modelWith(lora), base);
    const table = gpu.device.createBuffer({ size: 16, usage: GPUBufferUsage.STORAGE });
    const tables = Array.from({ length: config.layers }, () => table);
    const { token } = planSteps(config, weights, tables, { plan, products: 'exact' }, PLAIN_DRAWS, {
      positions,
    });
    // The parts of long contexts are weighed by a kernel of their own.
    const merges = plan === 'groups' && positions > 512 ? 1 : 0;
    expect(token).toHaveLength(AROUND + (wanted(plan) + merges) * config.layers);
    weights.dispose();
    table.destroy();
  });
});

test('an update waits for its values and for the norm of its gradient, and for nothing in between', async () => {
  const policy = tinyModel('gqa');
  const settings = { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, clipNorm: 1 };
  const optimizer = new Optimizer(policy.pool, settings);
  const sequences = [1, 2, 3].map((first) => ({
    promptIds: [first, 2, 3],
    tokens: [4, 5, 6, 7],
    samplerLogprobs: [-3, -3, -3, -3],
    advantages: [0.5, 0.5, 0.5, 0.5],
  }));
  const microbatches = packMicrobatches(sequences, weightsOfWhole(sequences, 'token_mean', 4), 256);
  expect(microbatches).toHaveLength(1);
  const calls = watchGpuCalls(gpu.device);
  const loss = tokenLoss({ ...PLAIN_LOSS, loss: 'grpo' });
  await trainStep(microbatches, 1e-4, { policy, optimizer, temperature: 1, loss, breathe });
  calls.restore();
  optimizer.dispose();
  policy.dispose();
  expect(calls.waits).toBe(2);
});
