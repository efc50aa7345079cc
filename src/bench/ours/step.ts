/** Whole steps of the training loop on the default task and settings. */
import { startKernelClock, stopKernelClock } from '../../backend/kernelRegistry.ts';
import { defaultConfig } from '../../config/presets.ts';
import { loadModel } from '../../hub/load.ts';
import { createRenderer } from '../../hub/renderers/index.ts';
import { TrainingLoop } from '../../rl/loop/loop.ts';
import { createLocalPool } from '../../rollout/localPool.ts';
import { createWorkerPool } from '../../rollout/workerPool.ts';
import { EngineHost } from '../../run/engine/engineHost.ts';
import { taskMix } from '../../rl/loop/taskMix.ts';
import { installGpuCounter } from '../instruments/gpuCounter.ts';
import type { Environment, OpenFiles } from '../participants/environment.ts';
import { secondsSince } from '../participants/timing.ts';
import type { Prepared, Sample, StepWorkload } from '../types.ts';

/** Steps before the first that counts: what runs once a step takes some to be compiled well. */
const WARM_UP_STEPS = 10;

/** Longest prompt and answer of the default task, with room for padding. */
const POSITIONS = 256;

/** @throws where the model has no tokenizer: random weights have nobody to talk to. */
export async function prepareStep(
  { model: source, workers }: StepWorkload,
  { backend, wasmPath }: Environment,
  openFiles: OpenFiles,
): Promise<Prepared> {
  if (source.kind === 'shape') {
    throw new Error('A step needs a model with a tokenizer; random weights have none. Use --model starter.');
  }
  const config = defaultConfig('sum_digits');
  const model = await loadModel(openFiles(source.label, source.address));
  const host = new EngineHost(
    config,
    model,
    { config: model.config, stopTokenIds: model.stopTokenIds, positions: POSITIONS },
    { weights: model.weights, adapter: null, reference: null, optimizer: null, version: 0 },
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
