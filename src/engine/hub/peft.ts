/**
 * LoRA adapters in the files of the PEFT library: `adapter_config.json` and `adapter_model.safetensors`. PEFT has a dozen variants that
 * share these files and the names of their tensors. So an adapter is refused if it has a setting that is not known to mean plain LoRA.
 */
import { z } from 'zod';
import { jsonBytes, shownJson } from '@rl-playground/base/json';
import { messageOf } from '@rl-playground/base/errors';
import { fusedNames, LAYER_TARGETS, LORA_TARGETS, targetsIn, type LoraTarget } from '../model/loraTargets.ts';
import type { ModelConfig } from '../model/config.ts';
import { peftSpecs, type LoraSettings } from '../model/lora.ts';
import type { WeightArrays } from '../model/weights.ts';
import { expectedTensor } from './expectedTensor.ts';
import { OpenFolder } from './openFolder.ts';
import { ModelFileError, type ModelFiles } from './types.ts';

export const PEFT_FILES = { config: 'adapter_config.json', weights: 'adapter_model.safetensors' } as const;

const isPeftFile = (name: string): boolean => /^adapter_(config\.json|model\.(safetensors|bin))$/.test(name);

/** The files of a model without the adapter beside it. */
export function withoutAdapter(files: ModelFiles): ModelFiles {
  const { names } = files;
  return names ? { ...files, names: names.filter((name) => !isPeftFile(name)) } : files;
}

/**
 * Refuses a model with an adapter beside it. transformers takes the adapter for a part of it, and the model alone would be another one.
 *
 * @throws ModelFileError if an adapter is in the folder of a model.
 */
export function refuseAdapterBeside({ label, names = [] }: ModelFiles): void {
  const found = names.filter(isPeftFile);
  if (found.length === 0) return;
  throw new ModelFileError(
    `${label}: ${found.join(' and ')} of a LoRA adapter ${found.length === 1 ? 'lies' : 'lie'} beside the model. Move the adapter's files into a folder of their own, and name it as the adapter (npx rl-playground model MODEL --adapter FOLDER; on the page, drop both folders together).`,
  );
}

export interface PeftAdapter {
  readonly settings: LoraSettings;
  /** The factors by PEFT's names and in its layout, as f32. */
  readonly arrays: WeightArrays;
}

/** The description of an adapter in PEFT's form. `base` is the model that it belongs to, by its name on the Hub or its folder, and its commit. */
export function peftConfigFile(
  { rank, alpha, targets, rankStabilized }: LoraSettings,
  base: { readonly name: string; readonly revision: string | null },
  { fusedMlp }: Pick<ModelConfig, 'fusedMlp'> = { fusedMlp: false },
): Uint8Array {
  const named = LORA_TARGETS.filter((target) => targets.includes(target));
  return jsonBytes({
    peft_type: 'LORA',
    task_type: 'CAUSAL_LM',
    base_model_name_or_path: base.name,
    inference_mode: true,
    init_lora_weights: true,
    r: rank,
    lora_alpha: alpha,
    target_modules: fusedMlp ? fusedNames(named) : named,
    lora_dropout: 0,
    bias: 'none',
    fan_in_fan_out: false,
    use_rslora: rankStabilized === true,
    use_dora: false,
    modules_to_save: null,
    layers_to_transform: null,
    layers_pattern: null,
    rank_pattern: {},
    alpha_pattern: {},
    auto_mapping: null,
    revision: base.revision,
  });
}

/** Settings that say where an adapter comes from, or act only beside one that is refused. */
const HARMLESS: ReadonlySet<string> = new Set([
  'auto_mapping',
  'base_model_name_or_path',
  'inference_mode',
  'megatron_core',
  'peft_version',
  'qalora_group_size',
  'revision',
  'runtime_config',
  'task_type',
]);

/** Initializations that leave the base as it is. The others, such as PiSSA and OLoRA, train beside a changed base. */
const PLAIN_BEGINNINGS = ['gaussian', 'orthogonal', 'eva'] as const;

const readSchema = z.looseObject({
  peft_type: z.literal('LORA'),
  r: z.number().int().positive(),
  lora_alpha: z.number().positive(),
  target_modules: z.union([z.literal('all-linear'), z.array(z.string()).min(1)]),
  lora_dropout: z.number().min(0).max(1).nullish(),
  use_rslora: z.boolean().nullish(),
  bias: z.literal('none').nullish(),
  init_lora_weights: z.union([z.boolean(), z.enum(PLAIN_BEGINNINGS)]).nullish(),
});

function isEmpty(value: unknown): boolean {
  if (value === null || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return value === '' || (typeof value === 'object' && Object.keys(value ?? {}).length === 0);
}

const shown = (value: unknown): string => (value === undefined ? 'nothing' : shownJson(value, 80));

/** Targets by their names, or with the module in front: `self_attn.q_proj` means `q_proj` of every layer. */
function targetsOf(named: 'all-linear' | readonly string[], refuse: (what: string) => never): LoraTarget[] {
  if (named === 'all-linear') return [...LAYER_TARGETS];
  const wanted = new Set(named.map(plainName).flatMap(targetsIn));
  const unknown = named.filter((name) =>
    targetsIn(plainName(name)).every((held) => !LORA_TARGETS.some((target) => target === held)),
  );
  if (unknown.length > 0)
    refuse(
      `target_modules names ${unknown.slice(0, 3).map(shown).join(', ')}; supported are ${LORA_TARGETS.join(', ')} of every layer`,
    );
  return LORA_TARGETS.filter((target) => wanted.has(target));
}

const plainName = (name: string): string => name.replace(/^(self_attn|mlp|shared_mlp)\./, '');

/** @throws ModelFileError naming every setting that makes it another adapter than LoRA of whole targets. */
export function parsePeftConfig(json: object, name: string, label: string): LoraSettings {
  const refuse = (what: string): never => {
    throw new ModelFileError(
      `${label}: ${name} is no plain LoRA adapter (${what}). Its other kinds are not supported; merge the adapter into its base with PEFT, or take another one.`,
    );
  };
  const parsed = readSchema.safeParse(json);
  const given = new Map<string, unknown>(Object.entries(json));
  const problems = (parsed.error?.issues ?? []).map(
    ({ path }) => `${path.join('.')} is ${shown(given.get(String(path[0])))}`,
  );
  const known = new Set([...HARMLESS, ...Object.keys(readSchema.shape)]);
  for (const [key, value] of given)
    if (!known.has(key) && !isEmpty(value)) problems.push(`${key} is ${shown(value)}`);
  if (!parsed.success || problems.length > 0) return refuse(problems.join('; '));
  const { r, lora_alpha: alpha, target_modules: named, use_rslora: rankStabilized } = parsed.data;
  const settings = { rank: r, alpha, targets: targetsOf(named, refuse) };
  return rankStabilized === true ? { ...settings, rankStabilized } : settings;
}

/**
 * The tensors of an adapter file: exactly those that `settings` describe for this model, in the order of its pool.
 *
 * @throws ModelFileError naming a tensor that is missing, of another shape, not finite or no part of the adapter.
 */
export function parsePeftWeights(
  tensors: WeightArrays,
  config: ModelConfig,
  settings: LoraSettings,
  where: string,
): WeightArrays {
  const specs = specsOf(config, settings, where);
  const wanted = new Set(specs.map(({ name }) => name));
  const other = [...tensors.keys()].find((name) => !wanted.has(name));
  if (other !== undefined)
    throw new ModelFileError(
      `${where}: ${other} is no part of the adapter that adapter_config.json describes; it would be lost. ${ANOTHER_MODEL}`,
    );
  return new Map(
    specs.map((spec) => [spec.name, expectedTensor(tensors, spec, where, ANOTHER_MODEL)] as const),
  );
}

const ANOTHER_MODEL = 'The adapter belongs to another model or other settings.';

function specsOf(config: ModelConfig, settings: LoraSettings, where: string): ReturnType<typeof peftSpecs> {
  try {
    return peftSpecs(config, settings);
  } catch (error) {
    throw new ModelFileError(`${where}: ${messageOf(error)}`);
  }
}

const missing = ({ label }: ModelFiles, name: string): ModelFileError =>
  new ModelFileError(
    `${label}: ${name} is missing. An adapter needs ${PEFT_FILES.config} and ${PEFT_FILES.weights}, as PEFT saves them.`,
  );

async function adapterConfig(folder: OpenFolder): Promise<object> {
  const json = await folder.json(PEFT_FILES.config);
  if (json === null) throw missing(folder, PEFT_FILES.config);
  return json;
}

const baseSchema = z.looseObject({
  base_model_name_or_path: z.string().min(1),
  revision: z.string().min(1).nullish(),
});

/**
 * The base model of an adapter whose files come without one: `org/name`, `org/name@commit`, or a path. The result is null if a model is
 * there.
 *
 * @throws ModelFileError if the adapter names no base.
 */
export async function baseOfAdapter(files: ModelFiles): Promise<string | null> {
  const { label, names = [] } = files;
  if (names.includes('config.json') || !names.includes(PEFT_FILES.config)) return null;
  const parsed = baseSchema.safeParse(await adapterConfig(OpenFolder.of(files)));
  if (!parsed.success)
    throw new ModelFileError(
      `${label}: ${PEFT_FILES.config} names no base_model_name_or_path, so nobody knows the model that the adapter belongs to. Name both: the model, and this as its adapter.`,
    );
  const { base_model_name_or_path: name, revision } = parsed.data;
  return revision == null ? name : `${name}@${revision}`;
}

/** Rank, α and targets of an adapter. @throws ModelFileError if there is none, or if it is of another kind. */
export async function readPeftSettings(files: ModelFiles): Promise<LoraSettings> {
  return parsePeftConfig(await adapterConfig(OpenFolder.of(files)), PEFT_FILES.config, files.label);
}

/**
 * The adapter in a folder, for a model of architecture `config`.
 *
 * @throws ModelFileError if there is none, or if it is of another kind or for another model.
 */
export async function readPeftAdapter(files: ModelFiles, config: ModelConfig): Promise<PeftAdapter> {
  const folder = OpenFolder.of(files);
  const settings = await readPeftSettings(folder);
  const found = await folder.tensors(PEFT_FILES.weights);
  if (found === null) throw missing(files, PEFT_FILES.weights);
  const where = `${files.label}: ${PEFT_FILES.weights}`;
  return { settings, arrays: parsePeftWeights(found.tensors, config, settings, where) };
}
