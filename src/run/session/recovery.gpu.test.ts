/**
 * A run whose device fails in the middle of a step: the failing calls and the loss are real. On a software adapter each new device compiles
 * every kernel again: there e2e/failure.spec.ts has a failing call and a lost device in the page, in a step, while it loads and while it saves.
 */
import { beforeAll, beforeEach, expect, test } from 'vitest';
import {
  filesAtUrl,
  type LoadedModel,
  widened,
  type StoredTensor,
  type EngineEnvironment,
} from '@rl-playground/engine/parts';
import {
  gpuDispatcher,
  closeGpu,
  startBackend,
  tf,
  createLocalPool,
} from '@rl-playground/engine/parts/tensors';
import { defaultConfig } from '../settings/presets/presets.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import type { LoopActivity } from '../loop/learn.ts';
import { everyCase } from '@rl-playground/engine/testing/gpu';
import { timeless } from '../metrics/metrics.ts';
import { tinyStarter } from '@rl-playground/engine/testing/tinyStarter';
import { keepCheckpointWhenDue } from '../directory/runDirectory.ts';
import { causeOf, failureText, standBefore } from './recovery.ts';
import { Session } from './session.ts';
import { freshStart } from './sessionStart.ts';

const CONFIG: RunConfig = {
  ...defaultConfig('reverse_digits'),
  loss: 'reinforce',
  baseline: 'moving',
  learningRate: 3e-3,
  warmupSteps: 1,
  numSteps: 4,
  saveSteps: 1,
  numGenerators: 1,
  problemsPerStep: 2,
  rolloutsPerProblem: 2,
  maxTokens: 12,
  microBatchTokens: 64,
  seed: 12,
};
const ENVIRONMENT: EngineEnvironment = {
  createPool: (generatorModel) => createLocalPool(generatorModel),
  now: () => 0,
};

let model: LoadedModel;
beforeAll(async () => {
  model = await tinyStarter(filesAtUrl('starter', '/models/starter'));
});
beforeEach(async () => {
  closeGpu();
  await startBackend('webgpu');
});

const device = (): GPUDevice => gpuDispatcher(tf.backend()).device;

async function afterSteps(count: number, config = CONFIG): Promise<Session> {
  const session = await Session.open(config, freshStart(model), ENVIRONMENT);
  await steps(session, count);
  return session;
}

async function steps(session: Session, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    await session.trainStep({});
    await keepCheckpointWhenDue(session);
  }
}

/** A step during which `fault` happens, once, as soon as the loop reports `activity`. */
function faultyStep(session: Session, activity: LoopActivity, fault: () => void): Promise<unknown> {
  let happened = false;
  return session.trainStep({
    onProgress: (progress) => {
      if (happened || progress.activity !== activity) return;
      happened = true;
      fault();
    },
  });
}

async function outcome(session: Session) {
  const { model: trained, optimizer, metrics, trainerState } = await session.parts();
  session.dispose();
  return { weights: await widened(trained.weights), optimizer, trainerState, metrics: timeless(metrics) };
}

const oversized = (): void =>
  void device().createBuffer({ size: 2 * device().limits.maxBufferSize, usage: GPUBufferUsage.STORAGE });

test.runIf(everyCase).each<LoopActivity>(['sampling', 'training', 'handing weights over'])(
  'an invalid buffer while %s ends the step uncounted, and the run goes on as if it had not been asked',
  async (activity) => {
    const whole = await afterSteps(2);
    const undisturbed = await outcome(whole);
    const session = await afterSteps(1);
    await expect(faultyStep(session, activity, oversized)).rejects.toMatchObject({ name: 'DeviceError' });
    expect([session.step, session.metrics.length, session.intact]).toEqual([1, 1, true]);
    await steps(session, 1);
    expect(await outcome(session)).toEqual(undisturbed);
  },
);

const FROZEN: RunConfig = { ...CONFIG, loraRank: 2, loraAlpha: 4, baseFormat: '16bit' };

type Loss = readonly [activity: LoopActivity, weights: string, config: RunConfig];
const LOSSES: readonly Loss[] = [
  ['sampling', 'weights', CONFIG],
  ['training', 'weights', CONFIG],
  ['handing weights over', 'weights', CONFIG],
  ['training', 'frozen base and adapter', FROZEN],
];

test.runIf(everyCase).each(LOSSES)(
  'a device that is lost while %s takes the %s with it; from its last checkpoint the run equals one never stopped',
  async (activity, _, config) => {
    const undisturbed = await outcome(await afterSteps(3, config));
    const session = await afterSteps(2, config);
    const begun = { ...freshStart(model), runConfig: null };
    const error: unknown = await faultyStep(session, activity, () => device().destroy()).catch(
      (reason: unknown) => reason,
    );
    const cause = await causeOf(error);
    expect(cause).toMatchObject({ name: 'DeviceError', kind: 'lost' });
    expect([session.step, session.metrics.length, session.intact]).toEqual([2, 2, false]);
    await expect(session.parts()).rejects.toThrow('lost with the GPU');
    const stand = await standBefore(session, begun);
    session.dispose();
    expect(failureText(cause, 2, stand)).toMatch(/was lost.*back at step 2, its last checkpoint/s);
    await startBackend('webgpu');
    const again = await Session.open(config, stand.saved, ENVIRONMENT, stand.log);
    await steps(again, 1);
    expect(again.log.steps.map(({ step }) => step)).toEqual([1, 2, 3]);
    expect(await outcome(again)).toEqual(undisturbed);
  },
);

/** The model, whose first bytes are read while `fault` happens. */
function faultyModel(fault: () => void): LoadedModel {
  let happened = false;
  const weights = new Map(
    [...model.weights].map(([name, { shape, dtype, ...tensor }]): [string, StoredTensor] => [
      name,
      {
        shape,
        dtype,
        read: (begin, end) => {
          if (!happened) fault();
          happened = true;
          return tensor.read(begin, end);
        },
      },
    ]),
  );
  return { ...model, weights };
}

const FAULTS = { 'an invalid buffer': oversized, 'a lost device': () => device().destroy() } as const;

test.runIf(everyCase).each<readonly [keyof typeof FAULTS, string, RunConfig]>([
  ['an invalid buffer', 'weights', CONFIG],
  ['an invalid buffer', 'frozen base', FROZEN],
  ['a lost device', 'weights', CONFIG],
  ['a lost device', 'frozen base', FROZEN],
])(
  '%s while a run’s %s are loaded opens no run; on another device it is as if that had never been',
  async (fault, _, config) => {
    const undisturbed = await outcome(await afterSteps(1, config));
    const opened = Session.open(config, freshStart(faultyModel(FAULTS[fault])), ENVIRONMENT);
    const error: unknown = await opened.then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(Error);
    expect(await causeOf(error)).toMatchObject({ name: 'DeviceError' });
    closeGpu();
    await startBackend('webgpu');
    expect(await outcome(await afterSteps(1, config))).toEqual(undisturbed);
  },
);

test.runIf(everyCase)('a failing call while a checkpoint is made leaves no checkpoint', async () => {
  const session = await afterSteps(1);
  const parts = session.parts();
  oversized();
  await expect(parts).rejects.toMatchObject({ name: 'DeviceError' });
  expect((await session.parts()).trainerState?.step).toBe(1);
  session.dispose();
});

test.runIf(everyCase)(
  'a device that is lost while a checkpoint is made leaves none; the run goes on from the one before',
  async () => {
    const undisturbed = await outcome(await afterSteps(2, FROZEN));
    const session = await afterSteps(1, FROZEN);
    const parts = session.parts();
    device().destroy();
    const error: unknown = await parts.catch((reason: unknown) => reason);
    expect(await causeOf(error)).toMatchObject({ name: 'DeviceError', kind: 'lost' });
    expect(session.intact).toBe(false);
    const stand = await standBefore(session, { ...freshStart(model), runConfig: null });
    session.dispose();
    expect(stand.step).toBe(1);
    await startBackend('webgpu');
    const again = await Session.open(FROZEN, stand.saved, ENVIRONMENT, stand.log);
    await steps(again, 1);
    expect(await outcome(again)).toEqual(undisturbed);
  },
);
