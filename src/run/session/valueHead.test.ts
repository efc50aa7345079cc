/** Runs with a value head: repeatable and resumable to the bit, its weights in the checkpoint and in no exported model. */
import {
  parseSafetensors,
  type LoadedModel,
  widened,
  type GeneratorPool,
  modelFiles,
} from '@rl-playground/engine/parts';
import { LOCAL_ENVIRONMENT, tf, startBackend, createLocalPool } from '@rl-playground/engine/parts/tensors';
import { beforeAll, describe, expect, test } from 'vitest';
import { defaultConfig } from '../settings/presets/presets.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import { starterInNode } from '@rl-playground/engine/testing/starterFolder';
import { everyProof } from '@rl-playground/base/testing/proofs';
import { timeless } from '../metrics/metrics.ts';
import { tinyStarter } from '@rl-playground/engine/testing/tinyStarter';
import { wasmPathInNode } from '@rl-playground/engine/testing/wasm';
import { unzipped, zipBytes } from '@rl-playground/engine/testing/zips';
import { readZippedCheckpoint, writeCheckpoint } from '../testing/zips.ts';
import { checkpointFiles } from '../checkpoint/checkpoint.ts';
import { Session } from './session.ts';
import { freshStart } from './sessionStart.ts';

let model: LoadedModel;
beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
  model = await tinyStarter(starterInNode());
});

/** An untrained model earns −1 everywhere, which a value head has to find out. */
const CONFIG: RunConfig = {
  ...defaultConfig('reverse_digits'),
  loss: 'ppo',
  baseline: 'value',
  oldLogprobs: 'trainer',
  ppoEpochs: 2,
  miniBatchSize: 4,
  klPenaltyCoef: 0.1,
  learningRate: 3e-3,
  warmupSteps: 0,
  weightDecay: 0.01,
  numSteps: 8,
  numGenerators: 1,
  problemsPerStep: 8,
  rolloutsPerProblem: 1,
  maxTokens: 12,
  microBatchTokens: 64,
  evalSamples: 4,
  seed: 12,
};
/** Steps before a run is saved, and after that. */
const HALF = everyProof ? 2 : 1;
const LORA: RunConfig = { ...CONFIG, loraRank: 3, loraAlpha: 6, learningRate: 3e-2 };

const open = (config: RunConfig, environment = LOCAL_ENVIRONMENT): Promise<Session> =>
  Session.open(config, freshStart(model), environment);

async function steps(session: Session, count: number): Promise<Session> {
  for (let i = 0; i < count; i++) await session.trainStep({});
  return session;
}

async function outcome(session: Session) {
  const { model: trained, optimizer, adapter, metrics, trainerState, valueHead } = await session.parts();
  session.dispose();
  return {
    weights: await widened(trained.weights),
    optimizer,
    adapter,
    valueHead,
    trainerState,
    metrics: timeless(metrics),
  };
}

describe.each([
  ['all weights', CONFIG],
  ['LoRA', LORA],
  ['LoRA beside a frozen base', { ...LORA, baseFormat: '16bit' as const }],
  [
    'the sampler’s probabilities',
    { ...CONFIG, oldLogprobs: 'sampler' as const, advantageScale: 'batch' as const },
  ],
])('a value head, %s', (_, config) => {
  test('stopped, saved, read and resumed equals one never stopped, to the bit', async () => {
    const tensors = tf.memory().numTensors;
    const whole = await outcome(await steps(await open(config), 2 * HALF));
    const before = await steps(await open(config), HALF);
    const parts = await readZippedCheckpoint(
      await writeCheckpoint(await before.parts()),
      'The checkpoint',
      model,
    );
    before.dispose();
    const resumed = await Session.open(parts.runConfig ?? config, parts, LOCAL_ENVIRONMENT);
    expect(resumed.step).toBe(HALF);
    expect(await outcome(await steps(resumed, HALF))).toEqual(whole);
    expect(tf.memory().numTensors).toBe(tensors);
    const weight = whole.valueHead?.get('v_head.summary.weight')?.data ?? [];
    expect(weight.some((value) => value !== 0)).toBe(true);
  });
});

describe('a run with a value head', () => {
  const ONE_UPDATE = {
    ppoEpochs: 1,
    miniBatchSize: 0,
    klPenaltyCoef: 0,
    gaeLambda: 1,
    valueCoef: 1,
  } as const;

  test('learns what answers earn, and says how well', async () => {
    const session = await open({ ...CONFIG, ...ONE_UPDATE, learningRate: 1e-2, numSteps: 20 });
    const rollouts = await session.trainStep({});
    await steps(session, 11);
    const { metrics } = session;
    session.dispose();
    const losses = metrics.map(({ valueLoss }) => valueLoss ?? NaN);
    // At first V is 0, and under γ = λ = 1 every token's return is its answer's reward.
    const tokens = rollouts.flatMap(({ reward, tokens: own }) => own.map(() => reward.total));
    const first = tokens.reduce((sum, reward) => sum + 0.5 * reward ** 2, 0) / tokens.length;
    expect(losses[0]).toBeCloseTo(first, 6);
    expect(metrics[0]).toMatchObject({ valueClipped: 0 });
    expect(losses.at(-1)).toBeLessThan(first / 4);
    expect(metrics.every(({ explainedVariance: share }) => share === null || share <= 1)).toBe(true);
  });

  test('takes answers of older weights under the asynchronous schedule', async () => {
    const config = { ...CONFIG, schedule: 'async', oldLogprobs: 'sampler', maxStepsOffPolicy: 2 } as const;
    const session = await steps(await open(config), 4);
    const { metrics } = session;
    session.dispose();
    expect(metrics.map(({ policyAgeMax }) => policyAgeMax ?? 0).some((age) => age > 0)).toBe(true);
    expect(metrics.every(({ valueLoss }) => valueLoss !== null)).toBe(true);
  });

  test('has the head in a file of its own, its moments with the others, and neither in the model', async () => {
    const session = await steps(await open(CONFIG), 1);
    const parts = await session.parts();
    session.dispose();
    const files = await unzipped(await zipBytes(await checkpointFiles(parts)));
    const tensors = (file: string) => [
      ...parseSafetensors(files.get(file) ?? new Uint8Array(), file).tensors.keys(),
    ];
    const names = ['v_head.summary.weight', 'v_head.summary.bias'];
    expect(tensors('value_head.safetensors')).toEqual(names);
    expect(tensors('optimizer.safetensors')).toEqual(
      expect.arrayContaining(names.map((each) => `exp_avg.${each}`)),
    );
    expect(tensors('model.safetensors').filter((each) => each.includes('v_head'))).toEqual([]);
    expect([...modelFiles(parts.model).keys()]).not.toContain('value_head.safetensors');
    expect(new TextDecoder().decode(files.get('README.md'))).toContain('value_head.safetensors');
    files.delete('value_head.safetensors');
    const { zipSync } = await import('fflate');
    await expect(readZippedCheckpoint(zipSync(Object.fromEntries(files)))).rejects.toThrow(
      /value_head.safetensors is missing, and the run's baseline is "value"/,
    );
  });

  test('whose step fails behind its updates is as it was, head and all', async () => {
    const undisturbed = await outcome(await steps(await open(CONFIG), 2));
    let fails = false;
    const session = await open(CONFIG, {
      ...LOCAL_ENVIRONMENT,
      createPool: (generatorModel) => {
        const pool = createLocalPool(generatorModel);
        const setWeights: GeneratorPool['setWeights'] = (version, packed) =>
          fails ? Promise.reject(new Error('no memory')) : pool.setWeights(version, packed);
        return { ...pool, setWeights };
      },
    });
    await steps(session, 1);
    fails = true;
    await expect(session.trainStep({})).rejects.toThrow('no memory');
    fails = false;
    const { trainerState: _, ...found } = await outcome(await steps(session, 1));
    const { trainerState: __, ...expected } = undisturbed;
    expect(found.valueHead).toEqual(expected.valueHead);
    expect(found.optimizer).toEqual(expected.optimizer);
    expect(found.weights).toEqual(expected.weights);
  });

  test('says nothing of a value head where there is none', async () => {
    const session = await steps(await open({ ...CONFIG, baseline: 'none', klPenaltyCoef: 0 }), 1);
    const { valueHead, metrics } = await session.parts();
    session.dispose();
    expect(valueHead).toBeUndefined();
    expect(metrics[0]).toMatchObject({ valueLoss: null, valueClipped: null, explainedVariance: null });
  });
});
