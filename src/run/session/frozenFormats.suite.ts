/**
 * Runs of LoRA beside a base in every format: however many updates its factors have had, generators sample from what the trainer
 * trains.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { defaultConfig } from '../settings/presets/presets.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import {
  type LoadedModel,
  type ModelFiles,
  widened,
  type StoredType,
  type EngineEnvironment,
} from '@rl-playground/engine/parts';
import { createLocalPool } from '@rl-playground/engine/parts/tensors';
import { storedAs } from '@rl-playground/engine/testing/frozenBases';
import { tinyStarter } from '@rl-playground/engine/testing/tinyStarter';
import { Session } from './session.ts';
import { freshStart } from './sessionStart.ts';

/** The type of the weights in the file, and the format in which the base is kept. */
const CASES = [
  { stored: 'F32', baseFormat: 'f32' },
  { stored: 'F16', baseFormat: '16bit' },
  { stored: 'BF16', baseFormat: '16bit' },
  { stored: 'F32', baseFormat: 'q8' },
  { stored: 'BF16', baseFormat: 'q4' },
] as const satisfies readonly { stored: StoredType; baseFormat: RunConfig['baseFormat'] }[];

/** An untrained model earns −1 everywhere; a moving baseline makes that a signal. */
const CONFIG: RunConfig = {
  ...defaultConfig('reverse_digits'),
  loss: 'reinforce',
  baseline: 'moving',
  learningRate: 3e-2,
  warmupSteps: 0,
  lrSchedule: 'constant',
  loraRank: 3,
  loraAlpha: 6,
  numGenerators: 1,
  problemsPerStep: 2,
  rolloutsPerProblem: 2,
  maxTokens: 8,
  microBatchTokens: 64,
  evalSamples: 1,
};

/** Bits of a seed. */
const SEEDS = 2 ** 31;

const ENVIRONMENT: EngineEnvironment = {
  createPool: (generatorModel) => createLocalPool(generatorModel),
  now: () => performance.now(),
};

/** Tests frozen bases on the running backend. `cases`: indices into `CASES`. `every`: with all that generators may do faster. */
export function frozenFormatsSuite(
  starter: ModelFiles,
  updates: number,
  cases: readonly number[] = CASES.map((_, i) => i),
  every = true,
): void {
  describe('sampler and trainer beside a frozen base', () => {
    let model: LoadedModel;
    beforeAll(async () => {
      model = await tinyStarter(starter);
    });

    test.for(cases.flatMap((i) => CASES[i] ?? []))(
      `agree after ${updates} updates, $baseFormat from a file in $stored`,
      async ({ stored, baseFormat }, { annotate }) => {
        const seed = Math.floor(Math.random() * SEEDS);
        const weights = storedAs(stored, await widened(model.weights));
        const config = { ...CONFIG, baseFormat, seed, numSteps: updates + 1 };
        const session = await Session.open(config, freshStart({ ...model, weights }), ENVIRONMENT);
        for (let step = 0; step <= updates; step++) await session.trainStep({});
        const { adapter } = await session.parts();
        const gaps = session.metrics.map(({ klSampleTrainV2 }) => klSampleTrainV2 ?? NaN);
        const moved = session.metrics.at(-1)?.kl ?? NaN;
        session.dispose();
        await annotate(
          `KL of sampler and trainer after ${updates} updates ${gaps.at(-1)?.toExponential(1)}, at most ` +
            `${Math.max(...gaps).toExponential(1)}; KL from the start ${moved.toExponential(1)}`,
        );
        const factors = [...(adapter?.arrays ?? [])].filter(([name]) => name.includes('lora_B'));
        expect(factors.length).toBeGreaterThan(0);
        for (const [name, { data }] of factors)
          expect(Math.max(...data.map(Math.abs)), `B of ${name}`).toBeGreaterThan(0);
        expect(moved, `seed ${seed}`).toBeGreaterThan(1e-5);
        for (const gap of gaps) expect(gap, `seed ${seed}`).toBeLessThan(1e-8);
      },
    );

    const faster: Partial<RunConfig>[] = [{ cachePrecision: 'f16' }];
    if (every) faster.push({ generatorAdapter: 'merged' });
    test.each(faster)('differ by what %o rounds off, and the metric says so', async (change) => {
      const seed = Math.floor(Math.random() * SEEDS);
      const weights = storedAs('BF16', await widened(model.weights));
      const config: RunConfig = { ...CONFIG, ...change, baseFormat: '16bit', seed };
      const session = await Session.open(config, freshStart({ ...model, weights }), ENVIRONMENT);
      for (let step = 0; step < 3; step++) await session.trainStep({});
      const gaps = session.metrics.map(({ klSampleTrainV2 }) => klSampleTrainV2 ?? NaN);
      session.dispose();
      expect(Math.max(...gaps), `seed ${seed}`).toBeGreaterThan(1e-10);
      expect(Math.max(...gaps), `seed ${seed}`).toBeLessThan(1e-4);
    });
  });
}
