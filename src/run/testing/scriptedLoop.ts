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
import { defaultConfig } from '../settings/presets/presets.ts';
import type { RunConfig } from '../settings/schema/schema.ts';

/** The settings of a step of two groups of four answers whose advantages are the rewards less their group's mean. */
export const SCRIPTED_CONFIG: RunConfig = {
  ...defaultConfig('reverse_digits'),
  problemsPerStep: 2,
  rolloutsPerProblem: 4,
  maxTokens: 48,
  numSteps: 10,
  warmupSteps: 1,
  baseline: 'group',
  advantageScale: 'none',
  removeConstantGroups: false,
};

/** A script that gives these answers to each problem in order. */
export const saying =
  (...answersPG: readonly string[][]): Script =>
  ({ problem }, sample) =>
    answersPG[problem]?.[sample] ?? null;

/** The same answer to each question of `SCRIPTED_CONFIG`. */
export const sayingAlways = (answer: string): Script =>
  saying(...Array.from({ length: 2 }, () => Array.from({ length: 4 }, () => answer)));

/** The advantages of answers, to six digits behind the point. */
export const advantagesOf = (rollouts: readonly { readonly advantage: number }[]): number[] =>
  rollouts.map(({ advantage }) => Number(advantage.toFixed(6)));

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
