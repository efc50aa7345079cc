/** Loads a checked model from a folder in Hugging Face layout. */
import { z } from 'zod';
import { parseModelConfig, type ModelConfig } from '../model/config.ts';
import { widened } from '../model/storedWeights.ts';
import { messageOf } from '@rl-playground/base/errors';
import { ModelFileError, type LoadedModel, type ModelFiles, type TextCodec } from './types.ts';
import { refuseAdapterBeside } from './peft.ts';
import { parseJsonObject, readRequired, type LoadOptions } from './readFile.ts';
import { samplingDefaultsOf, stopIdsOf, stopStringsOf } from './generationConfig.ts';
import { SideFiles } from './sideFiles.ts';
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
export async function readModelConfig(files: ModelFiles, options: LoadOptions = {}): Promise<ModelConfig> {
  const bytes = await readRequired(files, 'config.json', options);
  return parseConfig(parseJsonObject(bytes, 'config.json', files.label), files.label);
}

/**
 * Loads architecture and weights alone, for folders without a tokenizer. The weights are in the order of `huggingFaceSpecs`, in Hugging
 * Face's layout and f32, all finite.
 *
 * @throws ModelFileError
 */
export async function loadWeights(
  files: ModelFiles,
  options: LoadOptions = {},
): Promise<{ config: ModelConfig; weights: WeightArrays }> {
  const config = await readModelConfig(files, options);
  return { config, weights: await widened((await openWeights(files, config, options)).weights) };
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
 * Reads the files of a tokenizer, which was tried where it could be ended. `chat_template.jinja` is read if tokenizer_config.json has no
 * template or if the source lists the file.
 */
async function tokenizerFiles(side: SideFiles): Promise<Omit<TokenizerFiles, 'eosTokenId'>> {
  const tokenizerJson = await side.json('tokenizer.json');
  const tokenizerConfig = await side.json('tokenizer_config.json');
  const hasTemplate = 'chat_template' in tokenizerConfig && tokenizerConfig.chat_template != null;
  const template =
    !hasTemplate || side.files.names?.includes('chat_template.jinja')
      ? await side.optional('chat_template.jinja')
      : null;
  if (side.options.own !== true) {
    const { tryTokenizer } = await import('./trial/trial.ts');
    const files = {
      tokenizerJson: side.bytes('tokenizer.json'),
      tokenizerConfig: side.bytes('tokenizer_config.json'),
      chatTemplate: template,
    };
    await tryTokenizer(side.files.label, files, side.options.signal);
  }
  return { tokenizerJson, tokenizerConfig, chatTemplate: template && new TextDecoder().decode(template) };
}

type Ends = Pick<LoadedModel, 'stopTokenIds' | 'stopStrings' | 'samplingDefaults'>;

/** Reads the stop tokens: those of generation_config.json, else of config.json, or none if neither names one. */
async function readEnds(side: SideFiles, configJson: object, config: ModelConfig): Promise<Ends> {
  const { label } = side.files;
  const name = 'generation_config.json';
  const json = await side.optionalJson(name);
  const named = stopIdsOf(json, name, config, label);
  return {
    stopTokenIds: named.length > 0 ? named : stopIdsOf(configJson, 'config.json', config, label),
    stopStrings: stopStringsOf(json, label),
    samplingDefaults: samplingDefaultsOf(json),
  };
}

/**
 * Reads and checks a whole model: config, weights (a single file or shards), tokenizer, chat template, and stop tokens, which are the
 * tokenizer's if no config names any.
 *
 * @throws ModelFileError saying what is wrong, also if an adapter is beside the model; the reason of `signal` when it aborts.
 */
export async function loadModel(files: ModelFiles, options: LoadOptions = {}): Promise<LoadedModel> {
  const { label } = files;
  refuseAdapterBeside(files);
  const side = new SideFiles(files, options);
  const askable = await readAskable(side);
  const { weights, contentHash } = await openWeights(files, askable.config, options);
  await side.keepRest();
  return {
    name: label,
    ...(files.origin ? { origin: files.origin } : {}),
    ...askable,
    weights,
    contentHash,
    sideFiles: side.kept,
  };
}

/** A model without its weights: enough to tell how long its prompts get. */
export type AskableModel = Omit<LoadedModel, 'name' | 'origin' | 'weights' | 'contentHash' | 'sideFiles'>;

async function readAskable(side: SideFiles): Promise<AskableModel> {
  const { label } = side.files;
  const configJson = await side.json('config.json');
  const config = parseConfig(configJson, label);
  const style = promptStyle(configJson, label);
  const text = await tokenizerFiles(side);
  const ends = await readEnds(side, configJson, config);
  const { createTokenizer } = await import('./tokenizer.ts');
  const tokenizer = createTokenizer({ ...text, eosTokenId: ends.stopTokenIds[0] ?? null });
  checkVocabulary(tokenizer, config, label);
  return {
    config,
    tokenizer,
    ...ends,
    stopTokenIds: ends.stopTokenIds.length > 0 ? ends.stopTokenIds : [tokenizer.eosTokenId],
    promptStyle: style,
  };
}

/** Loads a model without its weights; null if there is no tokenizer. @throws ModelFileError */
export async function loadAskable(files: ModelFiles): Promise<AskableModel | null> {
  const side = new SideFiles(files, {});
  return (await side.optional('tokenizer.json')) && readAskable(side);
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
  refuseAdapterBeside(files);
  const side = new SideFiles(files, {});
  const text = (await side.optional('tokenizer.json')) && (await tokenizerFiles(side));
  const configJson = await side.optionalJson('config.json');
  if (text === null && configJson === null)
    throw new ModelFileError(
      `${files.label}: there is neither config.json nor tokenizer.json. A model folder needs config.json, weights, tokenizer.json and tokenizer_config.json; its tokenizer alone needs the last two.`,
    );
  const { createTextCodec } = await import('./tokenizer.ts');
  const codec = text && createTextCodec(text);
  if (configJson === null) return { codec, model: null };
  const config = parseConfig(configJson, files.label);
  if (codec !== null) checkVocabulary(codec, config, files.label);
  const { stopTokenIds: named } = await readEnds(side, configJson, config);
  const end = codec?.eosTokenId ?? null;
  const { weights } = await openWeights(files, config, {});
  const stopTokenIds = named.length > 0 || end === null ? named : [end];
  return { codec, model: { config, weights, stopTokenIds } };
}
