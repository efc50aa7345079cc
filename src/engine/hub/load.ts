/** Loads a checked model from a folder in Hugging Face layout. */
import { z } from 'zod';
import { parseModelConfig, type ModelConfig } from '../model/config.ts';
import { widened } from '../model/storedWeights.ts';
import { messageOf } from '@rl-playground/base/errors';
import { ModelFileError, recordedName, type LoadedModel, type ModelFiles, type TextCodec } from './types.ts';
import { refuseAdapterBeside } from './peft.ts';
import { samplingDefaultsOf, stopIdsOf, stopStringsOf } from './generationConfig.ts';
import { LARGEST_TEXT, OpenFolder, type LoadOptions } from './openFolder.ts';
import { COMMIT_FILE } from './commitRecord.ts';
import type { TokenizerFiles } from './tokenizer.ts';
import type { WeightArrays } from '../model/weights.ts';
import { openWeights } from './weights.ts';

function parseConfig(json: object, label: string): ModelConfig {
  try {
    return parseModelConfig(json);
  } catch (error) {
    throw new ModelFileError(`${label}: ${messageOf(error)}`);
  }
}

/** The architecture that a folder's config.json describes. @throws ModelFileError if it is missing or not supported. */
export async function readModelConfig(files: ModelFiles): Promise<ModelConfig> {
  return parseConfig(await OpenFolder.of(files).requiredJson('config.json'), files.label);
}

/**
 * Loads architecture and weights alone, for folders without a tokenizer. The weights are in the order of `huggingFaceSpecs`, in Hugging
 * Face's layout and f32, all finite.
 *
 * @throws ModelFileError
 */
export async function loadWeights(
  files: ModelFiles,
): Promise<{ config: ModelConfig; weights: WeightArrays }> {
  const folder = OpenFolder.of(files);
  const config = await readModelConfig(folder);
  return { config, weights: await widened((await openWeights(folder, config)).weights) };
}

const ownSchema = z.looseObject({
  rl_playground: z.looseObject({ prompt_style: z.enum(['full', 'compact']).optional() }).optional(),
});

function promptStyle(json: object, label: string): 'full' | 'compact' {
  const parsed = ownSchema.safeParse(json);
  if (parsed.success) return parsed.data.rl_playground?.prompt_style ?? 'full';
  throw new ModelFileError(
    `${label}: rl_playground.prompt_style in config.json must be "full" or "compact".`,
  );
}

function checkVocabulary(tokenizer: TextCodec, config: ModelConfig, label: string): void {
  if (tokenizer.vocabSize <= config.vocabSize) return;
  throw new ModelFileError(
    `${label}: the tokenizer has ${tokenizer.vocabSize} tokens, the model only ${config.vocabSize}. Use the tokenizer that belongs to the model.`,
  );
}

/**
 * Reads the files of a tokenizer and tries its patterns. `chat_template.jinja` is read if tokenizer_config.json has no template or if the
 * source lists the file.
 */
async function tokenizerFiles(folder: OpenFolder): Promise<Omit<TokenizerFiles, 'eosTokenId'>> {
  const tokenizerJson = await folder.requiredJson('tokenizer.json');
  const tokenizerConfig = await folder.requiredJson('tokenizer_config.json');
  const hasTemplate = 'chat_template' in tokenizerConfig && tokenizerConfig.chat_template != null;
  const template =
    !hasTemplate || folder.names?.includes('chat_template.jinja')
      ? await folder.read('chat_template.jinja')
      : null;
  if (folder.options.own !== true) {
    const { tryPatterns } = await import('./trial.ts');
    tryPatterns(folder.label, tokenizerJson);
  }
  return { tokenizerJson, tokenizerConfig, chatTemplate: template && new TextDecoder().decode(template) };
}

/** Tries the chat template of a model that is not the page's own. */
async function tryRendering(folder: OpenFolder, codec: TextCodec): Promise<void> {
  if (folder.options.own === true) return;
  const { tryTemplate } = await import('./trial.ts');
  tryTemplate(folder.label, codec);
}

/** Reads what the configs of a folder say. Stop tokens are those of generation_config.json, else of config.json, or none if neither names one. */
async function readConfigs(
  folder: OpenFolder,
): Promise<
  Pick<LoadedModel, 'config' | 'promptStyle' | 'stopTokenIds' | 'stopStrings' | 'samplingDefaults'>
> {
  const { label } = folder;
  const configJson = await folder.requiredJson('config.json');
  const config = parseConfig(configJson, label);
  const style = promptStyle(configJson, label);
  const name = 'generation_config.json';
  const json = await folder.json(name);
  const named = stopIdsOf(json, name, config, label);
  return {
    config,
    promptStyle: style,
    stopTokenIds: named.length > 0 ? named : stopIdsOf(configJson, 'config.json', config, label),
    stopStrings: stopStringsOf(json, label),
    samplingDefaults: samplingDefaultsOf(json),
  };
}

/** A model without its weights: enough to tell how long its prompts get. */
export type AskableModel = Omit<
  LoadedModel,
  'name' | 'origin' | 'weights' | 'gguf' | 'contentHash' | 'sideFiles'
>;

/** Loads a model without its weights. @throws ModelFileError */
export async function loadAskable(files: ModelFiles): Promise<AskableModel> {
  const folder = OpenFolder.of(files);
  const configs = await readConfigs(folder);
  const text = await tokenizerFiles(folder);
  const { createTokenizer } = await import('./tokenizer.ts');
  const tokenizer = createTokenizer({ ...text, eosTokenId: configs.stopTokenIds[0] ?? null });
  checkVocabulary(tokenizer, configs.config, folder.label);
  await tryRendering(folder, tokenizer);
  const stopTokenIds = configs.stopTokenIds.length > 0 ? configs.stopTokenIds : [tokenizer.eosTokenId];
  return { ...configs, tokenizer, stopTokenIds };
}

/** The texts that a model is read from, in the order in which a checkpoint has them. */
const MODEL_TEXTS = [
  'config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'chat_template.jinja',
  'generation_config.json',
];
const WEIGHT_FILE = /\.(safetensors|safetensors\.index\.json|bin|pt|pth|onnx|gguf|h5|msgpack)$/;
/** Files that describe the folder they are in, and would be wrong in another. */
const OF_FOLDER: ReadonlySet<string> = new Set(['README.md', COMMIT_FILE]);

/**
 * Reads the small files of a folder, which a checkpoint carries along unchanged: every one if the source lists its files. Over a URL only
 * those that were needed are kept, because each miss would be an error in the browser's console.
 */
async function sideFiles(folder: OpenFolder): Promise<Map<string, Uint8Array>> {
  const carried = new Map<string, Uint8Array>();
  const rest = (folder.names ?? []).filter(
    (name) => !name.includes('/') && !OF_FOLDER.has(name) && !WEIGHT_FILE.test(name),
  );
  for (const name of new Set([...MODEL_TEXTS.filter((each) => folder.bytes(each)), ...rest])) {
    const file = await folder.open(name);
    const bytes = file && file.size <= LARGEST_TEXT ? await folder.read(name) : null;
    if (bytes) carried.set(name, bytes);
  }
  return carried;
}

/**
 * Reads and checks a whole model: config, weights (a single file or shards), tokenizer, chat template, and stop tokens, which are the
 * tokenizer's if no config names any.
 *
 * @throws ModelFileError saying what is wrong, also if an adapter is beside the model; the reason of `signal` when it aborts.
 */
export async function loadModel(files: ModelFiles, options?: LoadOptions): Promise<LoadedModel> {
  const folder = OpenFolder.of(files, options);
  refuseAdapterBeside(folder);
  const askable = await loadAskable(folder);
  const stored = await openWeights(folder, askable.config);
  return {
    name: recordedName(folder),
    ...(folder.origin ? { origin: folder.origin } : {}),
    ...askable,
    ...stored,
    sideFiles: await sideFiles(folder),
  };
}

/** The parts of a model that a folder has. */
export interface ModelParts {
  /** The tokenizer; null in a folder without tokenizer.json. */
  readonly codec: TextCodec | null;
  /** Architecture and weights; null in a folder without config.json. */
  readonly model: Pick<LoadedModel, 'config' | 'weights' | 'stopTokenIds'> | null;
}

/**
 * Reads and checks a model, or architecture and weights without a tokenizer, or a tokenizer alone.
 *
 * @throws ModelFileError saying what is wrong, also if there is neither.
 */
export async function loadParts(files: ModelFiles): Promise<ModelParts> {
  const folder = OpenFolder.of(files);
  refuseAdapterBeside(folder);
  const text = (await folder.read('tokenizer.json')) && (await tokenizerFiles(folder));
  const isModel = (await folder.json('config.json')) !== null;
  if (text === null && !isModel)
    throw new ModelFileError(
      `${folder.label}: there is neither config.json nor tokenizer.json. A model folder needs config.json, weights, tokenizer.json and tokenizer_config.json; its tokenizer alone needs the last two.`,
    );
  const { createTextCodec } = await import('./tokenizer.ts');
  const codec = text && createTextCodec(text);
  if (codec !== null) await tryRendering(folder, codec);
  if (!isModel) return { codec, model: null };
  const { config, stopTokenIds: named } = await readConfigs(folder);
  if (codec !== null) checkVocabulary(codec, config, folder.label);
  const { weights } = await openWeights(folder, config);
  const end = codec?.eosTokenId ?? null;
  return {
    codec,
    model: { config, weights, stopTokenIds: named.length > 0 || end === null ? named : [end] },
  };
}
