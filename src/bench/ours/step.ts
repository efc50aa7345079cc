/** Whole steps of the training loop on the default task and settings. */
import { breathe } from '../../backend/eventLoop.ts';
import { startKernelClock, stopKernelClock } from '../../backend/kernelClock.ts';
import { defaultConfig } from '../../config/presets.ts';
import { loadModel } from '../../hub/load.ts';
import { createRenderer } from '../../hub/renderers/index.ts';
import { LanguageModel } from '../../model/languageModel.ts';
import { ModelWeights } from '../../model/weights.ts';
import { TrainingLoop } from '../../rl/loop.ts';
import { Optimizer } from '../../rl/optimizer.ts';
import { createLocalPool } from '../../rollout/localPool.ts';
import { createWorkerPool } from '../../rollout/workerPool.ts';
import { askedTasks } from '../../rl/asking.ts';
import { installGpuCounter } from '../instruments/gpuCounter.ts';
import type { Environment, OpenFiles } from '../participants/environment.ts';
import { secondsSince } from '../participants/timing.ts';
import type { Prepared, Sample, StepWorkload } from '../types.ts';

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
  const onDevice = (): LanguageModel =>
    new LanguageModel(ModelWeights.fromHuggingFace(model.config, model.weights), POSITIONS);
  const policy = onDevice();
  const reference = onDevice();
  const optimizer = new Optimizer(policy.weights, {
    beta1: config.adamBeta1,
    beta2: config.adamBeta2,
    epsilon: config.adamEps,
    weightDecay: config.weightDecay,
    clipNorm: config.clipNorm,
  });
  const generator = { config: model.config, stopTokenIds: model.stopTokenIds, positions: POSITIONS };
  const pool = workers
    ? createWorkerPool({ size: config.numGenerators, backend, wasmPath, model: generator })
    : createLocalPool(generator);
  const loop = new TrainingLoop({
    config,
    tasks: askedTasks(config),
    renderer: createRenderer('auto', model),
    promptStyle: model.promptStyle,
    policy,
    reference,
    optimizer,
    pool,
    now: () => performance.now(),
    breathe,
  });
  await loop.syncWeights();

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
  await step();
  return {
    check: null,
    run: workers ? step : () => profiled(backend, step),
    dispose() {
      pool.dispose();
      optimizer.dispose();
      policy.dispose();
      reference.dispose();
    },
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
