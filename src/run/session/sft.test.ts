import { beforeAll, describe, expect, test } from 'vitest';
import { widened, type EngineEnvironment } from '@rl-playground/engine/parts';
import { startBackend, createLocalPool } from '@rl-playground/engine/parts/tensors';
import { defaultConfig } from '../settings/presets/presets.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import { everyProof } from '@rl-playground/base/testing/proofs';
import { wasmPathInNode } from '@rl-playground/engine/testing/wasm';
import { makeScratchModel } from '../models/scratchModels.ts';
import { Session } from './session.ts';
import { freshStart } from './sessionStart.ts';
import { readZippedCheckpoint, writeCheckpoint } from '../testing/zips.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

const CONFIG: RunConfig = {
  ...defaultConfig('rpn_arithmetic'),
  model: 'rlvr-scratch',
  taskConfig: { p: 3, max_complexity: 2 },
  warmStartSteps: 6,
  warmStartBatch: 4,
  numSteps: 4,
  problemsPerStep: 4,
  rolloutsPerProblem: 4,
  evalSamples: 4,
  maxTokens: 12,
  seed: 5,
};

const ENVIRONMENT: EngineEnvironment = {
  createPool: (model, { generatorPrecision }) => createLocalPool(model, generatorPrecision),
  now: () => performance.now(),
};

/** The models, each made once: a run takes nothing from the model that it begins with. */
const models = new Map<RunConfig, ReturnType<typeof makeScratchModel>>();

async function begin(config = CONFIG): Promise<Session> {
  const model = models.get(config) ?? makeScratchModel(config);
  models.set(config, model);
  return Session.open(config, freshStart(await model), ENVIRONMENT);
}

async function warmed(session: Session, updates = Infinity): Promise<Session> {
  for (let made = 0; session.inSft && made < updates; made++) await session.sftStep();
  return session;
}

async function trained(session: Session, steps: number): Promise<Session> {
  await session.evaluate({});
  for (let made = 0; made < steps; made++) await session.trainStep({});
  return session;
}

/** A text that is equal where every bit is: comparing a million numbers one by one takes seconds. */
const bitsOf = (state: unknown): string =>
  JSON.stringify(state, (_, value: unknown) => {
    if (ArrayBuffer.isView(value))
      return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
    return value instanceof Map ? [...(value as ReadonlyMap<unknown, unknown>)] : value;
  });

/** The outcome of a run, without what the clock says; the session is disposed of. */
async function outcome(session: Session) {
  const { model, optimizer, reference, trainerState, metrics, evaluations } = await session.parts();
  session.dispose();
  return {
    state: bitsOf({ weights: await widened(model.weights), optimizer, reference }),
    trainerState,
    losses: metrics.map(({ loss, kl, reward }) => [loss, kl, reward]),
    accuracies: evaluations.flatMap(({ step, accuracy }) => (step < 0 ? [] : [[step, accuracy]])),
  };
}

describe('a warm-up', () => {
  test('ends with the policy that KL is measured against, and an optimizer at its beginning', async () => {
    const session = await warmed(await begin());
    const { model, reference, optimizer } = await session.parts();
    expect(session.sftLosses).toHaveLength(6);
    expect(bitsOf(reference)).toBe(bitsOf(await widened(model.weights)));
    expect(optimizer?.step).toBe(0);
    const [fresh] = (await widened((await makeScratchModel(CONFIG)).weights)).values();
    expect([...(await widened(model.weights)).values()][0]).not.toEqual(fresh);
    await trained(session, 2);
    const [first, second] = session.metrics;
    // Before its first update the policy is the reference, up to rounding.
    expect(Math.abs(first?.kl ?? 1)).toBeLessThan(1e-6);
    expect(second?.kl).toBeGreaterThan(1e-6);
    session.dispose();
  });

  test('saved in its midst and resumed equals one never stopped, to the bit', async () => {
    const whole = await outcome(await trained(await warmed(await begin()), 2));
    const before = await warmed(await begin(), 2);
    // A look at the weights on the way changes nothing of what comes after.
    await before.evaluate({});
    expect(before.evaluations.map(({ step }) => step)).toEqual([-4]);
    await warmed(before, 1);
    const zip = await writeCheckpoint(await before.parts());
    before.dispose();
    const parts = await readZippedCheckpoint(zip);
    const resumed = await Session.open(parts.runConfig ?? CONFIG, parts, ENVIRONMENT);
    expect(resumed.sftLosses).toHaveLength(3);
    expect(resumed.inSft).toBe(true);
    // What was seen of the model on the way stays.
    expect(resumed.evaluations).toEqual(parts.evaluations);
    expect(resumed.evaluations.map(({ step }) => step)).toEqual([-4]);
    expect(await outcome(await trained(await warmed(resumed), 2))).toEqual(whole);
  });

  test('is the same to the bit when repeated, and another under another seed', async () => {
    const losses = async (seed: number) => {
      const session = await warmed(await begin({ ...CONFIG, seed }), 2);
      session.dispose();
      return session.sftLosses;
    };
    const once = await losses(5);
    expect(await losses(5)).toEqual(once);
    expect(await losses(6)).not.toEqual(once);
  });

  test('is left out where the settings ask for none', async () => {
    const session = await begin({ ...CONFIG, warmStartSteps: 0 });
    expect(session.inSft).toBe(false);
    session.dispose();
  });

  // That losses fall is seen on the page (e2e/sft.spec.ts).
  test.runIf(everyProof)('brings a model made from nothing to the form of what it is shown', async () => {
    const shares: number[] = [];
    for (const warmStartSteps of [1, 80]) {
      const session = await warmed(
        await begin({ ...CONFIG, warmStartSteps, warmStartBatch: 16, evalSamples: 30 }),
      );
      await session.evaluate({});
      shares.push(session.evaluations.at(-1)?.format ?? NaN);
      session.dispose();
    }
    expect(shares[0]).toBeLessThan(0.1);
    expect(shares[1]).toBeGreaterThan(0.3);
  });

  // examples/minimalLoop.test.ts holds that reinforcement raises rewards.
  test.runIf(everyProof)(
    'brings a model made from nothing to where reinforcement raises the share of right answers',
    async () => {
      const session = await warmed(
        await begin({
          ...CONFIG,
          taskConfig: { p: 5, max_complexity: 2 },
          warmStartSteps: 250,
          warmStartBatch: 32,
          numSteps: 20,
          problemsPerStep: 16,
          rolloutsPerProblem: 8,
          evalSamples: 200,
        }),
      );
      await trained(session, 20);
      await session.evaluate({});
      const [before, after] = session.evaluations;
      session.dispose();
      // Two standard deviations of a difference of two shares of 200 are at most 0.1.
      expect(before?.format).toBeGreaterThan(0.6);
      expect((after?.accuracy ?? 0) - (before?.accuracy ?? 1)).toBeGreaterThan(0.15);
    },
  );
});
