/** Whole batches on a tiny model: what several updates, accumulation, streaming and an early stop come to. */
import { beforeAll, describe, expect, test } from 'vitest';
import { type Sequence, trainOnBatch, type BatchOutcome, StreamTrainer } from '@rl-playground/engine/parts';
import { startBackend, createLocalPool, Engine, Optimizer } from '@rl-playground/engine/parts/tensors';
import { defaultConfig } from '../settings/presets/presets.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import { drawsFor } from '@rl-playground/base/random';
import { relativeError } from '@rl-playground/engine/testing/accuracy';
import { TINY_POSITIONS, tinyModel, tinyPrompts } from '@rl-playground/engine/testing/tinyModels';
import { wasmPathInNode } from '@rl-playground/engine/testing/wasm';
import { lossOptions } from './lossOptions.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

const BASE = defaultConfig('reverse_digits');
const LEARNING_RATE = 0.01;

/** Completions that no policy sampled: ratios, advantages and lengths of all sizes. */
function sequences(count = 8): Sequence[] {
  const draw = drawsFor(41);
  return tinyPrompts(count).map((promptIds, i) => {
    const tokens = Array.from({ length: 1 + ((5 * i) % 11) }, () => Math.floor(29 * draw()));
    return {
      promptIds,
      tokens,
      samplerLogprobs: tokens.map(() => -3.4 + draw() / 3),
      advantages: tokens.map(() => draw() - 0.5),
    };
  });
}

async function onEngine<T>(body: (engine: Engine) => Promise<T>): Promise<T> {
  const policy = tinyModel('gqa');
  const reference = tinyModel('gqa');
  const settings = { beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0, clipNorm: 0 };
  const optimizer = new Optimizer(policy.pool, settings);
  const pool = createLocalPool({ config: policy.config, stopTokenIds: [], positions: TINY_POSITIONS });
  const engine = new Engine({
    policy,
    reference,
    optimizer,
    pool,
    microBatchTokens: 64,
    breathe: () => Promise.resolve(),
    restore: (_, before) => before,
    renewReference: (before) => Promise.resolve(before),
  });
  try {
    return await body(engine);
  } finally {
    for (const part of [pool, optimizer, policy, reference]) part.dispose();
  }
}

function train(
  engine: Engine,
  config: RunConfig,
  batch: readonly Sequence[] = sequences(),
  learningRate = LEARNING_RATE,
): Promise<BatchOutcome> {
  return trainOnBatch(batch, {
    engine,
    loss: lossOptions(config),
    plan: config,
    learningRate,
    targetKl: config.targetKl,
    measurePost: config.computePostKl,
    draw: drawsFor(config.seed),
    onProgress: () => undefined,
  });
}

const weightsAfter = (config: RunConfig) =>
  onEngine(async (engine) => {
    const outcome = await train(engine, config);
    return { outcome, weights: await engine.policy.pool.pack() };
  });

describe('updates of a batch', () => {
  test.each(['sum', 'sequence_sum', 'sequence_mean', 'token_mean', 'max_length'] as const)(
    '%s: one update of four mini-batches is the update of the whole batch',
    async (lossReduction) => {
      const config: RunConfig = { ...BASE, lossReduction };
      const whole = await weightsAfter(config);
      const cut = await weightsAfter({ ...config, gradientAccumulation: 4 });
      expect(cut.outcome.updates).toHaveLength(1);
      expect(cut.outcome.updates[0]?.loss).toBeCloseTo(whole.outcome.updates[0]?.loss ?? NaN, 5);
      expect(cut.outcome.updates[0]?.gradNorm).toBeCloseTo(whole.outcome.updates[0]?.gradNorm ?? NaN, 4);
      expect(relativeError(cut.weights, whole.weights)).toBeLessThan(1e-4);
    },
  );

  test('the mean of means of BNPO is another number where mini-batches have other lengths', async () => {
    const bnpo: RunConfig = { ...BASE, loss: 'bnpo', lossReduction: 'auto', gradientAccumulation: 4 };
    const { updates } = (await weightsAfter(bnpo)).outcome;
    const whole = (await weightsAfter({ ...bnpo, gradientAccumulation: 1 })).outcome.updates;
    const tokenMean = (await weightsAfter({ ...BASE, loss: 'dapo', lossReduction: 'auto' })).outcome.updates;
    expect(whole[0]?.loss).toBeCloseTo(tokenMean[0]?.loss ?? NaN, 6);
    expect(Math.abs((updates[0]?.loss ?? NaN) - (whole[0]?.loss ?? NaN))).toBeGreaterThan(1e-4);
  });

  test('substeps and passes each move the weights, and only the first sees ratios of the sampler', async () => {
    const config: RunConfig = { ...BASE, numSubsteps: 2, ppoEpochs: 2, oldLogprobs: 'trainer' };
    const { outcome } = await weightsAfter(config);
    expect(outcome.updates).toHaveLength(4);
    // p_old is the trainer's before the first update: its ratios are 1 but for rounding, later ones are not.
    expect(outcome.updates[0]).toMatchObject({ clippedLow: 0, clippedHigh: 0 });
    const firstPass = outcome.trained.slice(0, 4);
    for (const seen of firstPass)
      Array.from(seen?.logprobs ?? []).forEach((value, t) =>
        expect(value).toBeCloseTo(seen?.oldLogprobs[t] ?? NaN, 5),
      );
    expect(Math.max(...outcome.updates.slice(2).map((u) => u.clippedLow + u.clippedHigh))).toBeGreaterThan(0);
  });

  test('with one update the ratio to the trainer is exactly 1', async () => {
    const { outcome } = await weightsAfter({ ...BASE, oldLogprobs: 'trainer', lossReduction: 'sum' });
    for (const seen of outcome.trained) expect(seen?.oldLogprobs).toEqual(seen?.logprobs);
    // ρ = 1 everywhere: the loss is −Σ A.
    const advantages = sequences().flatMap((sequence) => Array.from(sequence.advantages));
    const sum = advantages.reduce((all, advantage) => all + advantage, 0);
    expect(outcome.updates[0]?.loss).toBeCloseTo(-sum, 5);
  });

  test('an early stop leaves out the update that has gone too far and all after it', async () => {
    const config: RunConfig = { ...BASE, loss: 'reinforce', ppoEpochs: 6 };
    const free = (await weightsAfter(config)).outcome;
    const gaps = free.updates.map(({ klSampleTrainV1 }) => klSampleTrainV1);
    // Between the largest gap of the first updates and the next larger one after them.
    const at = gaps.findIndex((gap, i) => i > 0 && gap > Math.max(...gaps.slice(1, i), 1e-9));
    const before = Math.max(...gaps.slice(1, at), 1e-9);
    const targetKl = (before + (gaps[at] ?? NaN)) / 2;
    const stopped = await weightsAfter({ ...config, targetKl });
    expect(stopped.outcome.updates).toHaveLength(at);
    expect(stopped.outcome.updatesSkipped).toBe(6 - at);
    const short = await weightsAfter({ ...config, ppoEpochs: at });
    expect(stopped.weights).toEqual(short.weights);
  });

  test('sequences that an early stop in the first pass kept from every update have no values', async () => {
    const config: RunConfig = { ...BASE, numSubsteps: 4, targetKl: 1e-9 };
    const { outcome } = await weightsAfter(config);
    const stoppedAt = outcome.updates.length;
    expect(outcome.updatesSkipped).toBe(4 - stoppedAt);
    // The update that was not made has seen its own two sequences.
    const seen = Math.min(8, 2 * (stoppedAt + 1));
    expect(seen).toBeLessThan(8);
    expect(outcome.trained.map((each) => each === null)).toEqual(
      Array.from({ length: 8 }, (_, i) => i >= seen),
    );
  });

  test('where a later update fails, the weights have another version than the generators', async () => {
    await onEngine(async (engine) => {
      const batch = sequences();
      const broken = batch.map((sequence, i) =>
        i < 4 ? sequence : { ...sequence, advantages: sequence.tokens.map(() => 3e38) },
      );
      const failing = { ...BASE, loss: 'reinforce', lossReduction: 'sum', numSubsteps: 2 } as const;
      await expect(train(engine, failing, broken)).rejects.toThrow('it must be finite');
      expect(engine.version).toBe(1);
      await expect(train(engine, { ...failing, numSubsteps: 1 }, broken)).rejects.toThrow(
        'it must be finite',
      );
      expect(engine.version).toBe(1);
      expect((await train(engine, failing, batch)).updates).toHaveLength(2);
    });
  });

  test('what an update did is measured after it', async () => {
    await onEngine(async (engine) => {
      const batch = sequences();
      const { trained } = await train(engine, { ...BASE, computePostKl: true }, batch);
      const { logprobs } = await engine.computeLogprobs(batch);
      expect(trained.map((each) => each?.postLogprobs)).toEqual(logprobs);
      expect(trained[0]?.postLogprobs).not.toEqual(trained[0]?.logprobs);
    });
  });

  test('by the mean tokens of the batch’s updates, each update weighs as its own tokens do', async () => {
    const batch = sequences();
    const updatesOf = (lossReduction: RunConfig['lossReduction'], ppoEpochs = 1) =>
      onEngine(async (engine) => {
        const config = { ...BASE, loss: 'reinforce', numSubsteps: 2, ppoEpochs, lossReduction } as const;
        return (await train(engine, config, batch, 0)).updates;
      });
    const [own, shared] = [await updatesOf('token_mean'), await updatesOf('batch_token_mean')];
    const mean = batch.reduce((sum, { tokens }) => sum + tokens.length, 0) / 2;
    expect(own[0]?.tokens).not.toBe(own[1]?.tokens);
    own.forEach(({ gradNorm, loss, tokens }, u) => {
      expect(shared[u]?.gradNorm).toBeCloseTo((gradNorm * tokens) / mean, 5);
      expect(shared[u]?.loss).toBeCloseTo((loss * tokens) / mean, 5);
    });
    const twice = await updatesOf('batch_token_mean', 2);
    expect(twice.map(({ loss }) => loss)).toEqual([...shared, ...shared].map(({ loss }) => loss));
  });

  test('an entropy bonus is the mean of the mini-batches’ mean entropies, whatever their tokens', async () => {
    const batch = sequences();
    const entropyOf = (first: number) =>
      onEngine(async (engine) => {
        const { entropies } = await engine.computeLogprobs(batch.slice(first, first + 4));
        const all = entropies.flatMap((row) => [...row]);
        return all.reduce((sum, value) => sum + value, 0) / all.length;
      });
    const lossOf = (entropyCoef: number) =>
      onEngine(async (engine) => {
        const config = {
          ...BASE,
          loss: 'reinforce',
          lossReduction: 'sum',
          gradientAccumulation: 2,
          entropyCoef,
        } as const;
        return (await train(engine, config, batch, 0)).updates[0]?.loss ?? NaN;
      });
    const bonus = ((await entropyOf(0)) + (await entropyOf(4))) / 2;
    expect((await lossOf(0)) - (await lossOf(0.5))).toBeCloseTo(0.5 * bonus, 4);
  });

  test('answers that are left out change nothing', async () => {
    const [batch, garbage] = [sequences(), sequences(11).slice(8)];
    const results = await Promise.all([
      onEngine(async (engine) => {
        await train(engine, { ...BASE, lossReduction: 'token_mean' }, batch);
        return engine.policy.pool.pack();
      }),
      onEngine(async (engine) => {
        const masked = garbage.map((sequence) => ({ ...sequence, masked: true }));
        await train(engine, { ...BASE, lossReduction: 'token_mean' }, [...batch, ...masked]);
        return engine.policy.pool.pack();
      }),
    ]);
    expect(relativeError(results[1], results[0])).toBeLessThan(1e-5);
  });
});

describe('streaming', () => {
  test.each([
    'sum',
    'sequence_mean',
    'token_mean',
    'batch_token_mean',
    'max_length',
    'minibatch_token_mean',
  ] as const)('%s: parts in any order make the update of the whole batch', async (lossReduction) => {
    const config: RunConfig = {
      ...BASE,
      loss: lossReduction === 'minibatch_token_mean' ? 'bnpo' : 'grpo',
      lossReduction,
    };
    const whole = await weightsAfter({ ...config, gradientAccumulation: 4 });
    const streamed = await onEngine(async (engine) => {
      const trainer = new StreamTrainer({
        engine,
        loss: lossOptions(config),
        learningRate: LEARNING_RATE,
        partsPerUpdate: 4,
      });
      const batch = sequences();
      for (const first of [4, 0, 6, 2]) await trainer.add(batch.slice(first, first + 2));
      await trainer.update();
      return { updates: trainer.updates, weights: await engine.policy.pool.pack() };
    });
    expect(streamed.updates).toHaveLength(1);
    const [update] = streamed.updates;
    expect(update?.loss).toBeCloseTo(whole.outcome.updates[0]?.loss ?? NaN, 5);
    expect(update?.gradNorm).toBeCloseTo(whole.outcome.updates[0]?.gradNorm ?? NaN, 4);
    expect(update?.tokens).toBe(whole.outcome.updates[0]?.tokens);
    expect(relativeError(streamed.weights, whole.weights)).toBeLessThan(1e-4);
  });

  test('where a later update fails, the weights have another version than the generators', async () => {
    await onEngine(async (engine) => {
      const trainer = new StreamTrainer({
        engine,
        loss: lossOptions({ ...BASE, loss: 'reinforce', lossReduction: 'sum' }),
        learningRate: LEARNING_RATE,
        partsPerUpdate: 1,
      });
      const batch = sequences();
      await trainer.add(batch.slice(0, 4));
      await trainer.update();
      expect(engine.version).toBe(0);
      await trainer.add(
        batch.slice(4).map((sequence) => ({ ...sequence, advantages: sequence.tokens.map(() => 3e38) })),
      );
      await expect(trainer.update()).rejects.toThrow('it must be finite');
      expect(engine.version).toBe(1);
    });
  });

  test('empty parts are skipped, and an update of nothing is none', async () => {
    await onEngine(async (engine) => {
      const before = await engine.policy.pool.pack();
      const trainer = new StreamTrainer({
        engine,
        loss: lossOptions(BASE),
        learningRate: LEARNING_RATE,
        partsPerUpdate: 2,
      });
      expect(await trainer.add([])).toEqual([]);
      await trainer.update();
      expect(trainer.updates).toEqual([]);
      expect(await engine.policy.pool.pack()).toEqual(before);
    });
  });
});
