/**
 * An adapter and its base model in a checkpoint: `adapter/` as the PEFT library writes one, `base/` as a model folder without
 * tokenizer. They lie in folders of their own because transformers, where it finds an `adapter_config.json` beside a model, loads
 * the adapter's base in place of that model. The base is there because merged weights minus the adapter are not quite its.
 */
import { z } from 'zod';
import { parseJsonObject } from '../../hub/readFile.ts';
import { parseSafetensors, writeSafetensors } from '../../hub/safetensors.ts';
import type { LoadedModel } from '../../hub/types.ts';
import type { WeightArrays } from '../../model/weights.ts';
import { checkWeights } from '../../hub/weights.ts';
import type { ModelConfig } from '../../model/config.ts';
import { peftSpecs, type LoraSettings } from '../../model/lora.ts';
import { LORA_TARGETS } from '../../base/loraTargets.ts';
import { CheckpointError, tensorOf, type AdapterParts } from './checkpointParts.ts';
import { withoutRunSettings } from './modelFiles.ts';
import { jsonBytes } from '../../base/json.ts';

export const ADAPTER_FILES = {
  config: 'adapter/adapter_config.json',
  weights: 'adapter/adapter_model.safetensors',
  baseConfig: 'base/config.json',
  base: 'base/model.safetensors',
} as const;

const HEAD = 'lm_head.weight';
const EMBEDDING = 'model.embed_tokens.weight';
const FORMAT = { metadata: { format: 'pt' } };

/** What else PEFT's LoRA can be; a run here is none of it. */
const OTHERS = {
  lora_dropout: 0,
  bias: 'none',
  fan_in_fan_out: false,
  use_rslora: false,
  use_dora: false,
  modules_to_save: null,
  layers_to_transform: null,
} as const;

function peftConfig({ rank, alpha, targets }: LoraSettings): object {
  return {
    peft_type: 'LORA',
    task_type: 'CAUSAL_LM',
    base_model_name_or_path: 'base',
    inference_mode: true,
    init_lora_weights: true,
    r: rank,
    lora_alpha: alpha,
    target_modules: LORA_TARGETS.filter((target) => targets.includes(target)),
    ...OTHERS,
    layers_pattern: null,
    rank_pattern: {},
    alpha_pattern: {},
    auto_mapping: null,
    revision: null,
  };
}

const peftSchema = z.looseObject({
  peft_type: z.literal('LORA'),
  r: z.number().int().positive(),
  lora_alpha: z.number().positive(),
  target_modules: z.array(z.enum(LORA_TARGETS)).min(1),
  ...Object.fromEntries(Object.entries(OTHERS).map(([key, value]) => [key, z.literal(value).optional()])),
  // Ranks and scales of single modules; of bias, PEFT's newer releases.
  rank_pattern: z.strictObject({}).optional(),
  alpha_pattern: z.strictObject({}).optional(),
  lora_bias: z.literal(false).optional(),
});

/** The files by name. `model` is the merged one, whose `config.json` the base shares but for the head. */
export function adapterFiles(
  { settings, arrays, base }: AdapterParts,
  model: LoadedModel,
): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>([
    [ADAPTER_FILES.config, jsonBytes(peftConfig(settings))],
    [ADAPTER_FILES.weights, writeSafetensors(arrays, FORMAT)],
    [ADAPTER_FILES.base, writeSafetensors(base, FORMAT)],
  ]);
  const configFile = model.sideFiles.get('config.json');
  if (configFile) {
    const config = withoutRunSettings(parseJsonObject(configFile, 'config.json', model.name));
    files.set(ADAPTER_FILES.baseConfig, jsonBytes({ ...config, tie_word_embeddings: !base.has(HEAD) }));
  }
  return files;
}

function parsePeftConfig(bytes: Uint8Array, label: string): LoraSettings {
  const parsed = peftSchema.safeParse(parseJsonObject(bytes, ADAPTER_FILES.config, label));
  if (parsed.success) {
    const { r, lora_alpha: alpha, target_modules: targets } = parsed.data;
    return { rank: r, alpha, targets };
  }
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new CheckpointError(
    `${label}: ${ADAPTER_FILES.config} is no LoRA adapter that can be trained here (${problems.join('; ')}). Load a checkpoint of this page.`,
  );
}

const ANOTHER_MODEL = 'The adapter belongs to another model or other settings.';

/** Exactly the adapter's tensors in their order, of the right shapes and finite. */
function checkAdapter(
  tensors: WeightArrays,
  config: ModelConfig,
  settings: LoraSettings,
  where: string,
): WeightArrays {
  const specs = peftSpecs(config, settings);
  const wanted = new Set(specs.map(({ name }) => name));
  const other = [...tensors.keys()].find((name) => !wanted.has(name));
  if (other !== undefined)
    throw new CheckpointError(
      `${where}: ${other} is no part of the adapter that adapter_config.json describes; it would be lost. ${ANOTHER_MODEL}`,
    );
  return new Map(specs.map((spec) => [spec.name, tensorOf(tensors, spec, where, ANOTHER_MODEL)] as const));
}

/**
 * The adapter of a checkpoint whose merged model is of architecture `config`; null where it has none. Where merging untied the
 * head, the base comes back with a head of its own, equal to its embedding, so that it is of `config` as well.
 * @throws CheckpointError or ModelFileError naming the file and what is wrong with it.
 */
export function readAdapter(
  files: ReadonlyMap<string, Uint8Array>,
  config: ModelConfig,
  label: string,
): AdapterParts | null {
  const configFile = files.get(ADAPTER_FILES.config);
  if (configFile === undefined) return null;
  const tensorsOf = (name: string): { tensors: WeightArrays; where: string } => {
    const bytes = files.get(name);
    if (bytes === undefined)
      throw new CheckpointError(
        `${label}: ${ADAPTER_FILES.config} is there but not ${name}; an adapter goes on training only with both. Take the folder adapter/ out to load the merged model.`,
      );
    const where = `${label}: ${name}`;
    return { tensors: parseSafetensors(bytes, where).tensors, where };
  };
  const settings = parsePeftConfig(configFile, label);
  const weights = tensorsOf(ADAPTER_FILES.weights);
  const arrays = checkAdapter(weights.tensors, config, settings, weights.where);
  const { tensors: stored, where } = tensorsOf(ADAPTER_FILES.base);
  const embedding = stored.get(EMBEDDING);
  const untied = !config.tiedHead && settings.targets.includes('lm_head') && !stored.has(HEAD);
  const base = untied && embedding ? new Map([...stored, [HEAD, embedding] as const]) : stored;
  return { settings, arrays, base: checkWeights(base, config, where) };
}
