/** Sampling as a run does it: a pool of generators in workers of their own, or one in this thread. */
import {
  parameterCount,
  type GeneratorModel,
  type GeneratorPool,
  type GroupRequest,
  loadWeights,
  OpenFolder,
  filesInMemory,
  adapterLength,
  type LoraSettings,
} from '@rl-playground/engine/parts';
import {
  ModelWeights,
  packArrays,
  createLocalPool,
  createWorkerPool,
  LanguageModel,
  mergeAdapter,
} from '@rl-playground/engine/parts/tensors';
import { installGpuCounter } from '../instruments/gpuCounter.ts';
import type {
  Environment,
  OpenFiles,
  DecodeWorkload,
  Prepared,
  RolloutWorkload,
  LoadWorkload,
  MergeWorkload,
} from '../types.ts';
import type { HostModel } from '../participants/model.ts';
import { promptsOf } from '../participants/inputs.ts';
import { preparedWork, secondsSince } from '../participants/timing.ts';
import { finish } from './device.ts';

/** Generators of a run by default. */
const GENERATORS = 2;
/** Room for padding. */
const SPARE_POSITIONS = 32;
/** The prompt of decoding that is counted, tokens. */
const PROMPT = 32;

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

export interface LocalGenerator {
  /** Samples one group. */
  generate(rows: number, promptLength: number, newTokens: number): Promise<void>;
  dispose(): void;
}

/** One generator in this thread; `longest` prompt and completion together, in positions. */
export async function localGenerator(host: HostModel, longest: number): Promise<LocalGenerator> {
  const pool = await withWeights(createLocalPool(generatorModel(host, longest)), host);
  let step = 0;
  return {
    async generate(rows, promptLength, newTokens) {
      const prompts = promptsOf({ groups: 1, promptLength }, host.config);
      await sample(pool, prompts, { samples: rows, newTokens, temperature: 1, step: step++ });
    },
    dispose: () => pool.dispose(),
  };
}

/** The sample's `dispatches` are those of one token of every row, the prompt's own left out. */
export async function prepareDecode({ rows, newTokens }: DecodeWorkload, host: HostModel): Promise<Prepared> {
  const counter = installGpuCounter();
  const generator = await localGenerator(host, PROMPT + newTokens);
  const measured = async (tokens: number): Promise<{ seconds: number; dispatches: number }> => {
    const before = counter?.dispatches ?? 0;
    const began = performance.now();
    await generator.generate(rows, PROMPT, tokens);
    return { seconds: secondsSince(began), dispatches: (counter?.dispatches ?? 0) - before };
  };
  await measured(newTokens);
  await measured(1);
  return {
    check: null,
    async run() {
      const whole = await measured(newTokens);
      const first = await measured(1);
      const tokens = newTokens - 1;
      return {
        seconds: (whole.seconds - first.seconds) / tokens,
        dispatches: (whole.dispatches - first.dispatches) / tokens,
        layers: host.config.layers,
        parameters: parameterCount(host.config),
      };
    },
    dispose: () => generator.dispose(),
  };
}

const FILES = ['config.json', 'model.safetensors'];
/** Positions of a generator that is only loaded, or merged into. */
const POSITIONS = 32;

/** From a model's files in memory to its first greedy token. @throws for random weights, which have no files. */
export async function prepareLoad({ model }: LoadWorkload, openFiles: OpenFiles): Promise<Prepared> {
  if (model.kind === 'shape') throw new Error('Random weights have no files to load. Use --model starter.');
  const source = await openFiles(model.label, model.address);
  const contents = new Map<string, Uint8Array>();
  for (const name of FILES) {
    const bytes = await new OpenFolder(source).read(name);
    if (bytes === null) throw new Error(`${model.label} has no ${name}; only models in one file are timed.`);
    contents.set(name, bytes);
  }
  const once = async (): Promise<Float32Array> => {
    const { config, weights } = await loadWeights(filesInMemory(model.label, contents));
    const host = new LanguageModel(ModelWeights.fromHuggingFace(config, weights), POSITIONS);
    const pool = createLocalPool({ config, stopTokenIds: [], positions: POSITIONS });
    await pool.setWeights(0, await host.pool.pack());
    const requests = [{ promptIds: [1], samples: 1, seed: 1, step: 0, problem: 0 }];
    const [group] = await pool.generate(requests, {
      temperature: 0,
      topP: 1,
      topK: 0,
      maxTokens: 1,
      stop: [],
    });
    pool.dispose();
    host.dispose();
    return Float32Array.from(group?.completions[0]?.tokens ?? []);
  };
  return preparedWork(
    async () => void (await once()),
    await once(),
    () => {},
  );
}

/**
 * LoRA's hand-off, the generator's end: an adapter's factors merged into the weights on its device, and the same on the host.
 * The sample's `host` is the time of a merge in JavaScript and float64, as an export does it.
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
  const merged = mergeAdapter(config, base, new Float32Array(adapterLength(config, lora)), lora);
  const began = performance.now();
  for (const adapter of adapters) mergeAdapter(config, base, adapter, lora, merged);
  const host = secondsSince(began) / adapters.length;

  const pool = createLocalPool({ config, lora, stopTokenIds: [], positions: POSITIONS }, precision);
  await pool.setWeights(0, base);
  let version = 0;
  const merge = async (): Promise<void> => {
    version++;
    const adapter = adapters[version % adapters.length];
    if (adapter) await pool.setAdapter(version, adapter);
    await finish();
  };
  await merge();
  // What went wrong with weights is the error of the requests that follow.
  const request = { promptIds: [0], samples: 1, seed: 0, step: 0, problem: 0 };
  await pool.generate([request], { temperature: 0, topP: 1, topK: 0, maxTokens: 1, stop: [] });
  const work = preparedWork(merge, null, () => pool.dispose());
  return { ...work, run: async () => ({ ...(await work.run()), host }) };
}
