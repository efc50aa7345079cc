/** Generators that throw, close themselves, spin or fall silent in the middle of a run: it equals one never disturbed, to the bit. */
import { beforeAll, describe, expect, test } from 'vitest';
import { DEADLINE } from '@rl-playground/base/deadline';
import { filesAtUrl, type LoadedModel, widened } from '@rl-playground/engine/parts';
import { startBackend, createLocalPool, createWorkerPool } from '@rl-playground/engine/parts/tensors';
import { defaultConfig } from '../settings/presets/presets.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import type { Fault } from '@rl-playground/engine/testing/faults';
import { breakGenerator } from '@rl-playground/engine/testing/faultyWorkers';
import { casesOf, everyCase } from '@rl-playground/engine/testing/gpu';
import { heldAlarms, type HeldAlarms } from '@rl-playground/base/testing/heldAlarms';
import { timeless } from '../metrics/metrics.ts';
import { tinyStarter } from '@rl-playground/engine/testing/tinyStarter';
import { Session } from './session.ts';
import { freshStart } from './sessionStart.ts';

const wasmPath = '/wasm/';
const SCHEDULES = ['sync', 'stream', 'async'] as const;
type Schedule = (typeof SCHEDULES)[number];

let model: LoadedModel;
beforeAll(async () => {
  await startBackend('wasm', { wasmPath, threads: 1 });
  model = await tinyStarter(filesAtUrl('starter', '/models/starter'));
});

/**
 * One generator where groups are trained on as they come: two of them come in any order. Ages do not depend on time where none is
 * allowed. By default, one of the other schedules has two generators.
 */
const configOf = (schedule: Schedule): RunConfig => ({
  ...defaultConfig('reverse_digits'),
  schedule,
  maxStepsOffPolicy: 0,
  loss: 'reinforce',
  baseline: 'moving',
  learningRate: 3e-3,
  warmupSteps: 1,
  numSteps: everyCase ? 3 : 2,
  numGenerators: schedule === 'sync' || (schedule === 'async' && everyCase) ? 2 : 1,
  problemsPerStep: 4,
  rolloutsPerProblem: 2,
  maxTokens: 12,
  microBatchTokens: 64,
  evalSamples: 3,
  seed: 12,
});

/** `alarms`: the alarms of workers. Without them this thread answers what is asked of one generator, to the same bits. */
async function outcome(schedule: Schedule, alarms?: HeldAlarms): Promise<unknown> {
  const config = configOf(schedule);
  const session = await Session.open(config, freshStart(model), {
    createPool: (generatorModel) =>
      config.numGenerators === 1 && !alarms
        ? createLocalPool(generatorModel)
        : createWorkerPool({
            size: config.numGenerators,
            backend: 'wasm',
            wasmPath,
            model: generatorModel,
            timers: alarms ?? heldAlarms(),
          }),
    now: () => performance.now(),
  });
  await session.evaluate({});
  for (let step = 0; step < config.numSteps; step++) await session.trainStep({});
  const { model: trained, optimizer, metrics, evaluations } = await session.parts();
  session.dispose();
  return {
    weights: await widened(trained.weights),
    optimizer,
    metrics: timeless(metrics),
    evaluations: evaluations.map((evaluation) => ({ ...evaluation, seconds: 0 })),
  };
}

const HOW = ['throws', 'closes', 'hangs', 'drops'] as const;
const AT = ['progress', 'group', 'weights'] as const;
const FEW: Readonly<Record<Schedule, Fault>> = {
  sync: { how: 'hangs', at: 'group' },
  stream: { how: 'closes', at: 'progress' },
  async: { how: 'drops', at: 'weights' },
};

describe.each(SCHEDULES)('schedule %s', (schedule) => {
  const cells = casesOf<Fault>(
    HOW.flatMap((how) => AT.map((at) => ({ how, at }))),
    [FEW[schedule]],
  );
  let undisturbed: unknown;
  beforeAll(async () => {
    undisturbed = await outcome(schedule);
  });

  test.each(cells)('a generator that $how at $at changes no bit of the run', async (fault) => {
    const alarms = heldAlarms();
    let faults = 0;
    const generators = breakGenerator(fault, () => {
      faults++;
      alarms.pass(DEADLINE.first);
    });
    try {
      expect(await outcome(schedule, alarms)).toEqual(undisturbed);
      expect(faults).toBe(1);
      // The alarms of the others ring too.
      expect(generators.started).toBeGreaterThan(configOf(schedule).numGenerators);
    } finally {
      generators.restore();
    }
  });
});
