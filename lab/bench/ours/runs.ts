/** Whole steps of the training loop on a task's default settings. */
import { loadModel, createRenderer, type LoadedModel, widened } from '@rl-playground/engine/parts';
import { createWorkerPool, EngineHost } from '@rl-playground/engine/parts/tensors';
import { defaultConfig } from '@rl-playground/run/settings';
import { TrainingLoop } from '@rl-playground/run/loop/loop';
import { taskMix } from '@rl-playground/run/loop';
import type { Environment, ModelSource, OpenFiles, Prepared, Sample, StepWorkload } from '../types.ts';

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
  { model: source, task }: StepWorkload,
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
        createWorkerPool({ size, backend, wasmPath, model: generator }),
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
  return { check: null, run: step, dispose: () => host.dispose() };
}
