/** The engine of a run with LoRA on a frozen base, with one generator, in a worker if there are workers. */
import { defaultConfig } from '@rl-playground/run/settings';
import type { EngineSettings } from '@rl-playground/engine/parts';
import {
  Adapter,
  FrozenBase,
  createLocalPool,
  createWorkerPool,
  EngineHost,
  tokensAtOnce,
} from '@rl-playground/engine/parts/tensors';
import { firstAdapter, TRAINING, type AdapterRank } from '../participants/inputs.ts';
import { storedModel } from '../participants/model.ts';
import type { Environment, ModelSource, OpenFiles } from '../types.ts';

/** Room for padding. */
const SPARE_POSITIONS = 32;

export interface FrozenEngine {
  readonly host: EngineHost;
  /** The padded tokens of a microbatch, at most, as the engine cuts an update. */
  readonly microBatchTokens: number;
}

/** Makes an engine with `firstAdapter`, also in its generator. `longest` is the length of prompt and answer together, in positions. */
export async function frozenEngine(
  workload: AdapterRank & { readonly model: ModelSource },
  longest: number,
  { backend, wasmPath }: Environment,
  openFiles: OpenFiles,
): Promise<FrozenEngine> {
  const { config, weights } = await storedModel(workload.model, openFiles);
  const { settings, packed } = firstAdapter(workload, config);
  const adapter = new Adapter(config, settings, packed);
  const engineSettings: EngineSettings = {
    ...defaultConfig('sum_digits'),
    loraRank: settings.rank,
    loraAlpha: settings.alpha,
    loraTargets: [...settings.targets],
    adamBeta1: TRAINING.beta1,
    adamBeta2: TRAINING.beta2,
    adamEps: TRAINING.epsilon,
    weightDecay: TRAINING.weightDecay,
    clipNorm: TRAINING.clipNorm,
    numGenerators: 1,
  };
  const start = {
    weights: await FrozenBase.load(config, weights, 'auto'),
    adapter: await adapter.toPeft(),
    reference: null,
    optimizer: null,
    version: 0,
  };
  adapter.dispose();
  const host = new EngineHost(
    engineSettings,
    { config },
    { config, stopTokenIds: [], positions: longest + SPARE_POSITIONS },
    start,
    {
      createPool: (model) =>
        typeof Worker === 'undefined'
          ? createLocalPool(model)
          : createWorkerPool({ size: 1, backend, wasmPath, model }),
      now: () => performance.now(),
    },
  );
  await host.publish();
  return { host, microBatchTokens: tokensAtOnce(config, engineSettings.microBatchTokens, backend) };
}
