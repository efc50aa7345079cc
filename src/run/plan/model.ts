/** A model as a plan sees it: its architecture, and how its files store it. Only a header of the weights is read. */
import { z } from 'zod';
import {
  OpenFolder,
  openSafetensors,
  type LoadedModel,
  type ModelFiles,
  loadAskable,
  readModelConfig,
  storedBytes,
  type StoredType,
  type StoredWeights,
  WEIGHT_FILES,
} from '@rl-playground/engine/parts';
import type { RunConfig } from '../settings/schema/schema.ts';
import { longestPrompt, longestPromptInSlices, rendererOf } from '../loop/prompts.ts';
import type { PlannedModel } from './types.ts';

const CONFIG = 'config.json';
const TYPES: Readonly<Record<string, StoredType>> = {
  float32: 'F32',
  float16: 'F16',
  bfloat16: 'BF16',
};

/** The types of stored weights, as a plan needs them. */
export function typesOf(weights: StoredWeights): Pick<PlannedModel, 'storedType' | 'storedTypes'> {
  const storedType = commonType(weights);
  const types = new Map([...weights].map(([name, { dtype }]) => [name, dtype]));
  const isMixed = [...types.values()].some((type) => type !== storedType);
  return { storedType, ...(isMixed && { storedTypes: types }) };
}

function commonType(weights: StoredWeights): StoredType {
  const bytes = new Map<StoredType, number>();
  for (const tensor of weights.values())
    bytes.set(tensor.dtype, (bytes.get(tensor.dtype) ?? 0) + storedBytes(tensor));
  const [most] = [...bytes].sort(([, a], [, b]) => b - a);
  return most?.[0] ?? 'F32';
}

const declaredSchema = z.looseObject({ dtype: z.string().nullish(), torch_dtype: z.string().nullish() });

/** The type that `config.json` states for its files, newer libraries as `dtype` and older ones as `torch_dtype`; else f32. */
function declaredType(json: object): StoredType {
  const { data } = declaredSchema.safeParse(json);
  const name = data?.dtype ?? data?.torch_dtype ?? 'float32';
  return TYPES[name.replace(/^torch\./, '')] ?? 'F32';
}

/** The types in a header of the weights; what `config.json` states where there are no weights. */
async function typesIn(folder: OpenFolder): Promise<ReturnType<typeof typesOf>> {
  const gguf = await folder.gguf();
  if (gguf) return typesOf(gguf.weights);
  const weights = await folder.open(WEIGHT_FILES.single);
  if (weights !== null) return typesOf(await openSafetensors(weights, folder.label));
  return { storedType: declaredType(await folder.requiredJson(CONFIG)) };
}

/** Plans for a folder, a zip or a GGUF file, which may hold no more than `config.json`; its tokenizer measures the prompts of `run`. @throws ModelFileError */
export async function modelOfFiles(files: ModelFiles, run: RunConfig): Promise<PlannedModel> {
  const folder = OpenFolder.of(files);
  const config = await readModelConfig(folder);
  const types = await typesIn(folder);
  // A tokenizer takes up to 20 MB: of a model on a server it is not fetched for a plan.
  const asked = !folder.origin && (await folder.read('tokenizer.json')) !== null;
  const askable = asked ? await loadAskable(folder) : null;
  const promptTokens = askable && longestPrompt(run, askable.promptStyle, rendererOf(run, askable));
  return { config, ...types, promptTokens };
}

/**
 * The newest answers for each loaded model: looking at hundreds of prompts takes longer than all the rest of a plan, and a page plans the run
 * in the form and those that it suggests, again after each run.
 */
const knownTokens = new WeakMap<LoadedModel, Map<string, number>>();
const MOST_KNOWN = 16;

/** The settings that the prompts of a run depend on. */
function promptKey(config: RunConfig): string {
  const { task, taskConfig, mixture, evalMixture, renderer, thinking, seed, curriculum, levelSamples } =
    config;
  const measured = levelSamples > 0;
  return JSON.stringify([
    task,
    taskConfig,
    mixture,
    evalMixture,
    renderer,
    thinking,
    seed,
    curriculum,
    measured,
  ]);
}

function keepTokens(model: LoadedModel, key: string, tokens: number): number {
  const known = knownTokens.get(model) ?? new Map<string, number>();
  knownTokens.set(model, known);
  // In order of their last use: the first is the oldest.
  known.delete(key);
  known.set(key, tokens);
  for (const oldest of known.keys()) {
    if (known.size <= MOST_KNOWN) break;
    known.delete(oldest);
  }
  return tokens;
}

function promptTokensOf(model: LoadedModel, config: RunConfig): number {
  const key = promptKey(config);
  const known = knownTokens.get(model)?.get(key);
  return keepTokens(model, key, known ?? longestPrompt(config, model.promptStyle, rendererOf(config, model)));
}

/** Looks at a run's prompts in slices of time, so that `modelOfLoaded` need not do it in one. @throws ModelFileError as `rendererOf` does */
export async function knowPrompts(model: LoadedModel, config: RunConfig): Promise<void> {
  const key = promptKey(config);
  if (knownTokens.get(model)?.has(key) === true) return;
  const tokens = await longestPromptInSlices(config, model.promptStyle, rendererOf(config, model));
  keepTokens(model, key, tokens);
}

/** The tokens of the run's longest prompt, if they were counted for this model; else null. */
export const knownPromptTokens = (model: LoadedModel, config: RunConfig): number | null =>
  knownTokens.get(model)?.get(promptKey(config)) ?? null;

/** Plans for a loaded model, whose tokenizer measures the prompts. */
export function modelOfLoaded(model: LoadedModel, config: RunConfig): PlannedModel {
  return {
    config: model.config,
    ...typesOf(model.weights),
    promptTokens: promptTokensOf(model, config),
  };
}
