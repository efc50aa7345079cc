/** From a folder in Hugging Face layout to a checked model in memory. */
import { z } from 'zod';
import { parseModelConfig, type ModelConfig } from '../model/config.ts';
import { widened } from '../model/storedWeights.ts';
import { messageOf } from '../base/errors.ts';
import { ModelFileError, type LoadedModel, type ModelFiles, type Tokenizer } from './types.ts';
import { parseJsonObject, readFile, readRequired, type LoadOptions } from './readFile.ts';
import type { WeightArrays } from '../model/weights.ts';
import { openWeights } from './weights.ts';

const WEIGHT_FILE = /\.(safetensors|safetensors\.index\.json|bin|pt|pth|onnx|gguf|h5|msgpack)$/;
/** Larger files are no side files: a tokenizer of 250 000 tokens takes some 20 MB. */
const LARGEST_SIDE_FILE = 64 * 1024 * 1024;

function parseConfig(json: object, label: string): ModelConfig {
  try {
    return parseModelConfig(json);
  } catch (error) {
    throw new ModelFileError(`${label}: ${messageOf(error)}`);
  }
}

/** The architecture that a folder's config.json describes. @throws ModelFileError where it is missing or not supported. */
export async function readModelConfig(files: ModelFiles, options: LoadOptions = {}): Promise<ModelConfig> {
  const bytes = await readRequired(files, 'config.json', options);
  return parseConfig(parseJsonObject(bytes, 'config.json', files.label), files.label);
}

/**
 * Architecture and weights alone, for folders without a tokenizer. Weights come in the order of `huggingFaceSpecs`, in Hugging
 * Face's layout and as f32, all finite.
 * @throws ModelFileError
 */
export async function loadWeights(
  files: ModelFiles,
  options: LoadOptions = {},
): Promise<{ config: ModelConfig; weights: WeightArrays }> {
  const config = await readModelConfig(files, options);
  return { config, weights: await widened((await openWeights(files, config, options)).weights) };
}

const eosSchema = z.union([z.number().int().nonnegative(), z.array(z.number().int().nonnegative())]);

/** `eos_token_id` as a list; empty where the field is absent. */
function stopIds(json: object | null, name: string, config: ModelConfig, label: string): number[] {
  const value: unknown =
    json === null ? undefined : Object.entries(json).find(([key]) => key === 'eos_token_id')?.[1];
  if (value === undefined || value === null) return [];
  const parsed = eosSchema.safeParse(value);
  const ids = parsed.success ? [parsed.data].flat() : [];
  if (!parsed.success || ids.some((id) => id >= config.vocabSize))
    throw new ModelFileError(
      `${label}: eos_token_id in ${name} must be one or more token ids from 0 to ${config.vocabSize - 1}, found ${JSON.stringify(value)}.`,
    );
  return ids;
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

function checkVocabulary(tokenizer: Tokenizer, config: ModelConfig, label: string): void {
  if (tokenizer.vocabSize <= config.vocabSize) return;
  throw new ModelFileError(
    `${label}: the tokenizer has ${tokenizer.vocabSize} tokens, the model only ${config.vocabSize}. Use the tokenizer that belongs to the model.`,
  );
}

/**
 * Where the source lists its files, every small one; over a URL those that were needed, since each miss there would be an
 * error in the browser's console.
 */
async function carryAlong(
  files: ModelFiles,
  read: Map<string, Uint8Array>,
  options: LoadOptions,
): Promise<void> {
  for (const name of files.names ?? []) {
    if (read.has(name) || name.includes('/') || name === 'README.md' || WEIGHT_FILE.test(name)) continue;
    const bytes = await readFile(files, name, options);
    if (bytes !== null && bytes.byteLength <= LARGEST_SIDE_FILE) read.set(name, bytes);
  }
}

/**
 * Reads and checks a whole model: config, weights (single file or shards), tokenizer, chat template, stop tokens.
 *
 * Stop tokens are those of generation_config.json, else of config.json, else the tokenizer's. `chat_template.jinja` counts where
 * tokenizer_config.json has no template or the source lists the file.
 * @throws ModelFileError with what is wrong; the reason of `signal` when it aborts.
 */
export async function loadModel(files: ModelFiles, options: LoadOptions = {}): Promise<LoadedModel> {
  const { label } = files;
  const sideFiles = new Map<string, Uint8Array>();
  const json = async (name: string): Promise<object> => {
    const bytes = await readRequired(files, name, options);
    sideFiles.set(name, bytes);
    return parseJsonObject(bytes, name, label);
  };
  const optional = async (name: string): Promise<Uint8Array | null> => {
    const bytes = await readFile(files, name, options);
    if (bytes !== null) sideFiles.set(name, bytes);
    return bytes;
  };

  const configJson = await json('config.json');
  const config = parseConfig(configJson, label);
  const style = promptStyle(configJson, label);
  const tokenizerJson = await json('tokenizer.json');
  const tokenizerConfig = await json('tokenizer_config.json');
  const hasTemplate = 'chat_template' in tokenizerConfig && tokenizerConfig.chat_template != null;
  const template =
    !hasTemplate || files.names?.includes('chat_template.jinja')
      ? await optional('chat_template.jinja')
      : null;
  const generationBytes = await optional('generation_config.json');
  const generationJson = generationBytes && parseJsonObject(generationBytes, 'generation_config.json', label);

  const named = stopIds(generationJson, 'generation_config.json', config, label);
  const stops = named.length > 0 ? named : stopIds(configJson, 'config.json', config, label);
  const { createTokenizer } = await import('./tokenizer.ts');
  const tokenizer = createTokenizer({
    tokenizerJson,
    tokenizerConfig,
    chatTemplate: template && new TextDecoder().decode(template),
    eosTokenId: stops[0] ?? null,
  });
  checkVocabulary(tokenizer, config, label);

  const { weights, contentHash } = await openWeights(files, config, options);
  await carryAlong(files, sideFiles, options);
  return {
    name: label,
    config,
    weights,
    contentHash,
    tokenizer,
    stopTokenIds: stops.length > 0 ? stops : [tokenizer.eosTokenId],
    sideFiles,
    promptStyle: style,
  };
}
