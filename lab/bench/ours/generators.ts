/** Sampling as a run does it: a pool of generators in workers of their own, or one in this thread. */
import {
  type GeneratorModel,
  type GeneratorPool,
  type GroupRequest,
  adapterLength,
  type LoraSettings,
  storedInMemory,
  widened,
} from '@rl-playground/engine/parts';
import {
  ModelWeights,
  packArrays,
  unpackPeft,
  createLocalPool,
  createWorkerPool,
  mergedTensors,
  workDone,
} from '@rl-playground/engine/parts/tensors';
import type { Environment, Prepared, RolloutWorkload, MergeWorkload } from '../types.ts';
import type { HostModel } from '../participants/model.ts';
import { promptsOf } from '../participants/inputs.ts';
import { preparedWork, secondsSince } from '../participants/timing.ts';

/** Generators of a run by default. */
const GENERATORS = 2;
/** Room for padding. */
const SPARE_POSITIONS = 32;

type Tokens = readonly (readonly number[])[];

/** Completions of every prompt, all `newTokens` long since no token ends one. */
async function sample(
  pool: GeneratorPool,
  prompts: Tokens,
  settings: { samples: number; newTokens: number; temperature: number; step: number },
): Promise<Tokens> {
  const { samples, newTokens, temperature, step } = settings;
  const requests = prompts.map((promptIds, problem): GroupRequest => {
    return { promptIds, samples, seed: 1, step, problem };
  });
  const groups = await pool.generate(requests, {
    temperature,
    topP: 1,
    topK: 0,
    maxTokens: newTokens,
    stop: [],
  });
  return groups.flatMap(({ completions }) =>
    completions.map((completion) => {
      if (completion.stopReason === 'error') throw new Error(completion.error);
      return completion.tokens;
    }),
  );
}

async function withWeights(pool: GeneratorPool, { config, weights }: HostModel): Promise<GeneratorPool> {
  const host = ModelWeights.fromHuggingFace(config, weights);
  const packed = await host.pack();
  host.dispose();
  await pool.setWeights(0, packed);
  return pool;
}

function generatorModel({ config }: HostModel, positions: number): GeneratorModel {
  return { config, stopTokenIds: [], positions: positions + SPARE_POSITIONS };
}

export async function prepareRollouts(
  workload: RolloutWorkload,
  host: HostModel,
  { backend, wasmPath }: Environment,
): Promise<Prepared> {
  const { samples, promptLength, newTokens } = workload;
  const model = generatorModel(host, promptLength + newTokens);
  const pool = await withWeights(
    typeof Worker === 'undefined'
      ? createLocalPool(model)
      : createWorkerPool({ size: GENERATORS, backend, wasmPath, model }),
    host,
  );
  const prompts = promptsOf(workload, host.config);
  let step = 0;
  const generate = (temperature: number): Promise<Tokens> =>
    sample(pool, prompts, { samples, newTokens, temperature, step: step++ });
  const greedy = await generate(0);
  return preparedWork(
    async () => void (await generate(1)),
    Float32Array.from(greedy.flat()),
    () => pool.dispose(),
  );
}

/** The positions of a generator that is only merged into. */
const POSITIONS = 32;

/**
 * LoRA's hand-over on the generator's side: an adapter's factors merged into the weights on its device, and the same on the host. The
 * sample's `host` is the time of a merge in JavaScript and float64, as an export does it.
 */
export async function prepareMerge(
  { rank, targets, precision }: MergeWorkload,
  { config, weights }: HostModel,
): Promise<Prepared> {
  const lora: LoraSettings = { rank, alpha: rank, targets };
  const base = packArrays(config, weights);
  const adapters = [1, 2].map((version) =>
    Float32Array.from({ length: adapterLength(config, lora) }, (_, i) => Math.sin(version * i) / 100),
  );
  const stored = storedInMemory(weights);
  const began = performance.now();
  for (const adapter of adapters)
    await widened(
      mergedTensors(config, stored, { settings: lora, arrays: unpackPeft(config, lora, adapter) }),
    );
  const host = secondsSince(began) / adapters.length;

  const pool = createLocalPool({ config, lora, stopTokenIds: [], positions: POSITIONS }, precision);
  await pool.setWeights(0, base);
  let version = 0;
  const merge = async (): Promise<void> => {
    version++;
    const adapter = adapters[version % adapters.length];
    if (adapter) await pool.setAdapter(version, adapter);
    await workDone();
  };
  await merge();
  // An error of the weights is thrown by the following requests.
  const request = { promptIds: [0], samples: 1, seed: 0, step: 0, problem: 0 };
  await pool.generate([request], { temperature: 0, topP: 1, topK: 0, maxTokens: 1, stop: [] });
  const work = preparedWork(merge, null, () => pool.dispose());
  return { ...work, run: async () => ({ ...(await work.run()), host }) };
}
