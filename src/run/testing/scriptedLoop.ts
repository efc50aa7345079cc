/** The training loop over a tiny model whose answers are scripted, for tests that work out a step by hand. */
import { createRenderer, type LoadedModel, widened } from '@rl-playground/engine/parts';
import {
  startBackend,
  LanguageModel,
  ModelWeights,
  Engine,
  Optimizer,
} from '@rl-playground/engine/parts/tensors';
import { scriptedPool, type Script } from '@rl-playground/engine/testing/scriptedPool';
import { starterInNode } from '@rl-playground/engine/testing/starterFolder';
import { tinyStarter } from '@rl-playground/engine/testing/tinyStarter';
import { wasmPathInNode } from '@rl-playground/engine/testing/wasm';
import { TrainingLoop, type LoopState } from '../loop/loop.ts';
import { taskMix } from '../loop/taskMix.ts';
import type { RunConfig } from '../settings/schema/schema.ts';

let starter: Promise<LoadedModel> | null = null;

async function loadStarter(): Promise<LoadedModel> {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
  return tinyStarter(starterInNode());
}

/** Runs `body` on a loop over a fresh tiny model. */
export async function withLoop<T>(
  config: RunConfig,
  script: Script,
  body: (parts: {
    loop: TrainingLoop;
    pool: ReturnType<typeof scriptedPool>;
    policy: LanguageModel;
    engine: Engine;
  }) => Promise<T>,
  state: LoopState | null = null,
  version = 0,
): Promise<T> {
  const model = await (starter ??= loadStarter());
  const weights = await widened(model.weights);
  const onDevice = () => new LanguageModel(ModelWeights.fromHuggingFace(model.config, weights), 96);
  const [policy, reference] = [onDevice(), onDevice()];
  const settings = { beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0, clipNorm: 1 };
  const optimizer = new Optimizer(policy.pool, settings);
  const pool = scriptedPool(model.tokenizer, script);
  const engine = new Engine({
    policy,
    reference,
    optimizer,
    pool,
    microBatchTokens: config.microBatchTokens,
    breathe: () => Promise.resolve(),
    version,
    restore: (_, before) => before,
    renewReference: () => Promise.resolve(onDevice()),
  });
  let clock = 0;
  const parts = {
    config,
    tasks: taskMix(config),
    renderer: createRenderer('auto', model),
    promptStyle: model.promptStyle,
    engine,
    now: () => (clock += 1000),
  };
  const loop = new TrainingLoop(parts, state);
  try {
    return await body({ loop, pool, policy, engine });
  } finally {
    for (const part of [policy, reference, optimizer]) part.dispose();
  }
}
