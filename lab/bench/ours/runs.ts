/** Whole steps of the training loop on a task's default settings, and the same run under each schedule in turns. */
import {
  loadModel,
  createRenderer,
  type LoadedModel,
  widened,
  type EngineEnvironment,
} from '@rl-playground/engine/parts';
import {
  startKernelClock,
  stopKernelClock,
  createLocalPool,
  createWorkerPool,
  EngineHost,
} from '@rl-playground/engine/parts/tensors';
import { defaultConfig, type RunConfig } from '@rl-playground/run/settings';
import { TrainingLoop } from '@rl-playground/run/loop/loop';
import { taskMix } from '@rl-playground/run/loop';
import { installGpuCounter } from '../instruments/gpuCounter.ts';
import {
  SCHEDULES,
  type Environment,
  type ModelSource,
  type OpenFiles,
  type Prepared,
  type Sample,
  type ScheduleFigure,
  type ScheduleName,
  type ScheduleWorkload,
  type StepWorkload,
} from '../types.ts';
import { secondsSince } from '../participants/timing.ts';
import { freshStart, Session } from '@rl-playground/run/session/onDevice';

/** The steps before the first that counts: code that runs once a step needs some to be compiled well. */
const WARM_UP_STEPS = 10;

/** Longest prompt and answer of these tasks, with room for padding. */
const POSITIONS = 256;

/** @throws Error if the model has no tokenizer, as with random weights. */
async function modelToTalkTo(source: ModelSource, openFiles: OpenFiles): Promise<LoadedModel> {
  if (source.kind === 'shape') {
    throw new Error('A run needs a model with a tokenizer; random weights have none. Use --model starter.');
  }
  return loadModel(await openFiles(source.label, source.address));
}

/** Whole steps. @throws if the model has no tokenizer. */
export async function prepareStep(
  { model: source, task, workers }: StepWorkload,
  { backend, wasmPath }: Environment,
  openFiles: OpenFiles,
): Promise<Prepared> {
  const config = defaultConfig(task);
  const model = await modelToTalkTo(source, openFiles);
  const host = new EngineHost(
    config,
    model,
    { config: model.config, stopTokenIds: model.stopTokenIds, positions: POSITIONS },
    { weights: await widened(model.weights), adapter: null, reference: null, optimizer: null, version: 0 },
    {
      createPool: (generator, { numGenerators: size }) =>
        workers
          ? createWorkerPool({ size, backend, wasmPath, model: generator })
          : createLocalPool(generator),
      now: () => performance.now(),
    },
  );
  const loop = new TrainingLoop({
    config,
    tasks: taskMix(config),
    renderer: createRenderer('auto', model),
    promptStyle: model.promptStyle,
    engine: host.engine,
    now: () => performance.now(),
  });
  await host.publish();

  const step = async (): Promise<Sample> => {
    const { metrics } = await loop.step();
    const { seconds, secondsRollout, secondsTrain, secondsSync, completionTokens } = metrics;
    return {
      seconds,
      sampling: secondsRollout,
      training: secondsTrain,
      handOff: secondsSync,
      tokens: completionTokens,
    };
  };
  for (let warmed = 0; warmed < WARM_UP_STEPS; warmed++) await step();
  return {
    check: null,
    run: workers ? step : () => profiled(backend, step),
    dispose: () => host.dispose(),
  };
}

/** A step with the seconds inside kernels: passes on the GPU, or kernel calls on the CPU. */
async function profiled(backend: Environment['backend'], step: () => Promise<Sample>): Promise<Sample> {
  const gpu = backend === 'webgpu' ? installGpuCounter() : null;
  if (backend === 'webgpu' && !gpu?.canTime) {
    throw new Error("This adapter has no timestamp queries, so the time inside kernels can't be told.");
  }
  gpu?.startTiming();
  startKernelClock();
  const began = performance.now();
  const sample = await step();
  const seconds = secondsSince(began);
  const clocked = stopKernelClock() / 1000;
  const kernels = gpu ? await gpu.stopTiming() : clocked;
  return { ...sample, seconds, kernels };
}

/** The steps until generators have found their pace, and everything that is compiled or grown on first use is there. */
const STEPS_BEFORE = 2;

const SETTINGS: Partial<RunConfig> = {
  // Training on an answer takes about three times as long as sampling it. On groups with a signal alone, both take as long.
  removeConstantGroups: true,
  // So small that the work of every step stays the same.
  learningRate: 1e-7,
  // Streaming begins with one of these.
  numMinibatches: 8,
};

/**
 * Makes the same run under each schedule in turns: the time of a step, and the busy time of trainer and generators. @throws Error if the
 * model has no tokenizer.
 */
export async function prepareSchedules(
  { model: source, generators, problems, samples, maxStepsOffPolicy, steps }: ScheduleWorkload,
  { backend, wasmPath }: Environment,
  openFiles: OpenFiles,
): Promise<Prepared> {
  const model = await modelToTalkTo(source, openFiles);
  const config: RunConfig = {
    ...defaultConfig('reverse_digits'),
    problemsPerStep: problems,
    rolloutsPerProblem: samples,
    numGenerators: generators,
    maxStepsOffPolicy,
    ...SETTINGS,
  };
  const environment: EngineEnvironment = {
    createPool: (generator, { numGenerators: size, generatorPrecision: precision }) =>
      createWorkerPool({ size, precision, backend, wasmPath, model: generator }),
    now: () => performance.now(),
  };
  return {
    check: null,
    async run() {
      const began = performance.now();
      const parts: Record<string, number> = {};
      for (const schedule of SCHEDULES) {
        Object.assign(parts, await measured({ ...config, schedule }, model, environment, steps));
      }
      return { ...parts, seconds: secondsSince(began) };
    },
    dispose: () => {},
  };
}

/** A run from its start, so that every schedule has the same work to do. */
async function measured(
  config: RunConfig,
  model: LoadedModel,
  environment: EngineEnvironment,
  steps: number,
): Promise<Record<string, number>> {
  const session = await Session.open(config, freshStart(model), environment);
  try {
    for (let step = 0; step < STEPS_BEFORE; step++) await session.trainStep({});
    const began = performance.now();
    for (let step = 0; step < steps; step++) await session.trainStep({});
    const wall = secondsSince(began) / steps;
    const metrics = session.metrics.slice(-steps);
    const mean = (key: 'trainerBusy' | 'generatorsBusy' | 'policyAgeMean'): number =>
      metrics.reduce((sum, record) => sum + (record[key] ?? NaN), 0) / steps;
    const name = (what: ScheduleFigure): `${ScheduleName} ${ScheduleFigure}` => `${config.schedule} ${what}`;
    return {
      [name('wall')]: wall,
      [name('trainer')]: mean('trainerBusy'),
      [name('generators')]: mean('generatorsBusy'),
      [name('age')]: mean('policyAgeMean'),
    };
  } finally {
    session.dispose();
  }
}
