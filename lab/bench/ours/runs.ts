/** Whole steps of the training loop on a task's default settings. */
import { loadModel, createRenderer, type LoadedModel, widened } from '@rl-playground/engine/parts';
import {
  startKernelClock,
  stopKernelClock,
  createLocalPool,
  createWorkerPool,
  EngineHost,
} from '@rl-playground/engine/parts/tensors';
import { defaultConfig } from '@rl-playground/run/settings';
import { TrainingLoop } from '@rl-playground/run/loop/loop';
import { taskMix } from '@rl-playground/run/loop';
import { installGpuCounter } from '../instruments/gpuCounter.ts';
import {
  type Environment,
  type ModelSource,
  type OpenFiles,
  type Prepared,
  type Sample,
  type StepWorkload,
} from '../types.ts';
import { secondsSince } from '../participants/timing.ts';

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
