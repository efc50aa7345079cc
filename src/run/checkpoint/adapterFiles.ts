/**
 * An adapter and its base model in a checkpoint: `adapter/` as the PEFT library writes one, `base/` as a model folder without
 * tokenizer. They lie in folders of their own because transformers, where it finds an `adapter_config.json` beside a model, loads
 * the adapter's base in place of that model. The base is there because merged weights minus the adapter are not quite its.
 */
import * as z from 'zod';
import {
  openBytes,
  safetensorsFile,
  type LoadedModel,
  type OpenFile,
  parsePeftConfig,
  parsePeftWeights,
  peftConfigFile,
  checkWeights,
  type ModelConfig,
  type LoraSettings,
  storedInMemory,
  type WeightArrays,
  type AdapterParts,
  storedConfig,
  EMBEDDING,
  HEAD,
  withStoredWeights,
} from '@rl-playground/engine/parts';
import { CheckpointError, type CheckpointParts } from './checkpointParts.ts';
import { ADAPTER_FILES, BASE_FILE, type RunFiles } from './runFiles.ts';
import { ownConfig } from './runSettings.ts';
import { jsonBytes } from '@rl-playground/base/json';
import { mergedTensors } from '@rl-playground/engine/parts/tensors';

const FORMAT = { format: 'pt' };

/**
 * The files by name. `model` is the merged one, whose `config.json` the base shares but for the head; beside a frozen base it is that
 * base, which lies in files of its own.
 */
export function adapterFiles(
  { settings, arrays, base }: AdapterParts,
  model: LoadedModel,
): Map<string, OpenFile> {
  const config = peftConfigFile(settings, baseName(model, base, settings), model.config);
  const files = new Map<string, OpenFile>([
    [ADAPTER_FILES.config, openBytes(config)],
    [ADAPTER_FILES.weights, safetensorsFile(storedInMemory(arrays), FORMAT)],
  ]);
  if (base === null) return files;
  const own = withHead(base, settings);
  files.set(ADAPTER_FILES.base, safetensorsFile(storedInMemory(own), FORMAT));
  const json = ownConfig(model);
  if (json) files.set(ADAPTER_FILES.baseConfig, openBytes(jsonBytes(storedConfig(json, !own.has(HEAD)))));
  return files;
}

/** PEFT finds the base on the Hub at its commit; else in the folder beside the adapter's, or by the name of a frozen one. */
function baseName(
  { name, origin }: LoadedModel,
  base: WeightArrays | null,
  { targets }: LoraSettings,
): Parameters<typeof peftConfigFile>[1] {
  const untied = base !== null && !base.has(HEAD) && targets.includes('lm_head');
  if (origin && !untied) return { name: origin.name, revision: origin.commit };
  return { name: base === null ? name : 'base', revision: null };
}

const baseNameSchema = z.looseObject({ base_model_name_or_path: z.string(), revision: z.string() });

/** The repository and commit that an adapter names as its base; nothing where it names none. */
export function namedOrigin(files: RunFiles): Pick<LoadedModel, 'origin'> {
  const named = baseNameSchema.safeParse(files.folder.object(ADAPTER_FILES.config));
  if (!named.success) return {};
  const { base_model_name_or_path: name, revision } = named.data;
  return { origin: { name, revision, commit: revision, hubUrl: null } };
}

/** A base with an adapter of the head gets a head of its own: PEFT, merging into a tied one, would change the embedding, too. */
function withHead(base: WeightArrays, { targets }: LoraSettings): WeightArrays {
  const embedding = base.get(EMBEDDING);
  if (!targets.includes('lm_head') || base.has(HEAD) || embedding === undefined) return base;
  return new Map([...base, [HEAD, embedding]]);
}

/**
 * The adapter of a checkpoint whose merged model, or frozen base, is of architecture `config`; null where it has none. Where merging untied the
 * head, the base comes back with a head of its own, equal to its embedding, so that it is of `config` as well.
 * @throws CheckpointError or ModelFileError naming the file and what is wrong with it.
 */
export async function adapterOf(files: RunFiles, config: ModelConfig): Promise<AdapterParts | null> {
  const { folder, label } = files;
  const configJson = folder.object(ADAPTER_FILES.config);
  if (configJson === null) return null;
  const required = async (name: string): Promise<WeightArrays> => {
    const found = await folder.tensors(name);
    if (found === null)
      throw new CheckpointError(
        `${label}: ${ADAPTER_FILES.config} is present, but ${name} is missing; an adapter needs both to continue training. Remove the folder adapter/ to load the merged model.`,
      );
    return found.tensors;
  };
  const settings = parsePeftConfig(configJson, ADAPTER_FILES.config, label);
  const weights = await required(ADAPTER_FILES.weights);
  const arrays = parsePeftWeights(weights, config, settings, `${label}: ${ADAPTER_FILES.weights}`);
  if (files.has(BASE_FILE)) return { settings, arrays, base: null };
  const stored = await required(ADAPTER_FILES.base);
  const embedding = stored.get(EMBEDDING);
  const untied = !config.tiedHead && settings.targets.includes('lm_head') && !stored.has(HEAD);
  const base = untied && embedding ? new Map([...stored, [HEAD, embedding] as const]) : stored;
  return { settings, arrays, base: checkWeights(base, config, `${label}: ${ADAPTER_FILES.base}`) };
}

/** Merges an adapter that has only a base beside it into that base. Changed tensors are calculated when they are read, as F32. */
export function mergedModel({ model, adapter }: Pick<CheckpointParts, 'model' | 'adapter'>): LoadedModel {
  if (adapter === null || adapter.base !== null) return model;
  return withStoredWeights(model, mergedTensors(model.config, model.weights, adapter));
}
