/** Nothing is learned at a learning rate of 0, so the clip cuts only what sampler and trainer disagree on: nothing, unless they are made to. */
import { afterAll, describe, expect, test } from 'vitest';
import { type Draw, drawsFor } from '@rl-playground/base/random';
import { lossesWhere, type UpdateRecord, type Sequence, trainOnBatch } from '@rl-playground/engine/parts';
import { createLocalPool, Engine, Optimizer } from '@rl-playground/engine/parts/tensors';
import { defaultConfig } from '../settings/presets/presets.ts';
import { summary } from '@rl-playground/engine/testing/accuracy';
import {
  TINY_KINDS,
  TINY_POSITIONS,
  tinyModel,
  tinyPrompts,
  type TinyKind,
} from '@rl-playground/engine/testing/tinyModels';
import { lossOptions } from './lossOptions.ts';

const CLIPPING = lossesWhere(({ clips }) => clips !== null);
const BASE = defaultConfig('reverse_digits');

interface OpenEngine {
  readonly engine: Engine;
  readonly dispose: () => void;
}

async function openEngine(kind: TinyKind): Promise<OpenEngine> {
  const [policy, reference] = [tinyModel(kind), tinyModel(kind)];
  const settings = { beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0.1, clipNorm: 1 };
  const optimizer = new Optimizer(policy.pool, settings);
  const pool = createLocalPool({ config: policy.config, stopTokenIds: [5], positions: TINY_POSITIONS });
  const engine = new Engine({
    policy,
    reference,
    optimizer,
    pool,
    microBatchTokens: 256,
    breathe: () => Promise.resolve(),
    restore: (_, before) => before,
    renewReference: (before) => Promise.resolve(before),
  });
  await engine.saveWeightsForSampler();
  const dispose = (): void => {
    for (const part of [pool, optimizer, policy, reference]) part.dispose();
  };
  return { engine, dispose };
}

/** A batch of random shape, trained on at a learning rate of 0 with random settings: the records of its updates. */
async function updatesOf(
  engine: Engine,
  draw: Draw,
  seed: number,
  logitNoise: number,
): Promise<readonly UpdateRecord[]> {
  const whole = (from: number, to: number): number => from + Math.floor(draw() * (to - from + 1));
  const prompts = tinyPrompts(whole(1, 8));
  const samples = whole(2, 6);
  const loss = CLIPPING[whole(0, CLIPPING.length - 1)] ?? 'grpo';
  const miniBatchSize = draw() < 0.4 ? whole(1, prompts.length * samples) : 0;
  const config = {
    ...BASE,
    loss,
    lossReduction: 'auto',
    // Log-uniform from 1e-4: as narrow as rounding still allows.
    clipLow: 10 ** -(4 * draw()),
    clipHigh: loss === 'cispo' ? 1 + 10 ** -(4 * draw()) : 10 ** -(4 * draw()),
    ratioLevel: loss !== 'cispo' && draw() < 0.3 ? 'sequence' : 'token',
    maxTokens: whole(1, 24),
    temperature: 0.5 + draw(),
  } as const;
  const groups = await engine.sample(
    prompts.map((promptIds, problem) => ({ promptIds, samples, seed, step: 1, problem })),
    { maxTokens: config.maxTokens, temperature: config.temperature, logitNoise, stop: [] },
  );
  const sequences = groups.flatMap(({ completions }, p) =>
    completions.map(({ tokens, logprobs }): Sequence => {
      const advantage = draw() - 0.5;
      return {
        promptIds: prompts[p] ?? [],
        tokens,
        samplerLogprobs: logprobs,
        advantages: tokens.map(() => advantage),
      };
    }),
  );
  const { updates } = await trainOnBatch(sequences, {
    engine,
    loss: lossOptions(config),
    plan: {
      numSubsteps: miniBatchSize === 0 ? whole(1, 3) : 1,
      ppoEpochs: whole(1, 2),
      miniBatchSize,
      gradientAccumulation: whole(1, 2),
    },
    learningRate: 0,
    targetKl: 0,
    measurePost: false,
    draw,
  });
  return updates;
}

/** `shapes`: the number of batches. */
export function clipAtZeroSuite(shapes: number): void {
  const seed = Math.floor(Math.random() * 2 ** 31);

  describe(`the clip at a learning rate of 0, seed ${seed}`, () => {
    const engines = new Map<TinyKind, Promise<OpenEngine>>();
    const engineOf = async (kind: TinyKind): Promise<Engine> => {
      const opened = engines.get(kind) ?? openEngine(kind);
      engines.set(kind, opened);
      return (await opened).engine;
    };
    afterAll(async () => {
      for (const opened of engines.values()) (await opened).dispose();
    });

    test(
      `cuts nothing on ${shapes} batches of random shape`,
      async ({ annotate }) => {
        const draw = drawsFor(seed);
        const seen = { updates: 0, tokens: 0, exact: 0, greatest: 0 };
        for (let shape = 0; shape < shapes; shape++) {
          const engine = await engineOf(TINY_KINDS[shape % TINY_KINDS.length] ?? 'gqa');
          for (const update of await updatesOf(engine, draw, seed + shape, 0)) {
            expect([update.clippedLow, update.clippedHigh], `shape ${shape}`).toEqual([0, 0]);
            seen.updates++;
            seen.tokens += update.tokens;
            seen.exact += update.exactTokens;
            seen.greatest = Math.max(seen.greatest, update.greatestGap);
          }
        }
        await annotate(summary(seen));
        expect(seen.updates).toBeGreaterThanOrEqual(shapes);
        expect(seen.greatest).toBeLessThan(1e-4);
      },
      20 * 60_000,
    );

    test('cuts tokens where the sampler draws from noisy logits', async () => {
      const engine = await engineOf('gqa');
      const draw = drawsFor(seed, 1);
      const updates: UpdateRecord[] = [];
      for (let batch = 0; batch < 6; batch++)
        updates.push(...(await updatesOf(engine, draw, seed + batch, 2)));
      expect(Math.max(...updates.map((update) => update.clippedLow + update.clippedHigh))).toBeGreaterThan(0);
      expect(Math.max(...updates.map((update) => update.greatestGap))).toBeGreaterThan(0.1);
    });
  });
}
