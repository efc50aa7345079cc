/** The tokenizer and chat template of a model folder. */
import type { ChatMessage } from '@rl-playground/base/conversation';
import { localMoment } from '@rl-playground/base/clock';
import { messageOf } from '@rl-playground/base/errors';
import { ChatTemplate, TemplateLimitError } from './template/index.ts';
import { checkTokenIds } from './tokenIds.ts';
import { Pipeline } from './tokens/pipeline.ts';
import { tokenBytesOf } from './tokenBytes.ts';
import {
  ModelFileError,
  type ChatOptions,
  type TextCodec,
  type TokenBytes,
  type Tokenizer,
} from './types.ts';

export interface TokenizerFiles {
  /** The parsed `tokenizer.json`. */
  readonly tokenizerJson: object;
  /** The parsed `tokenizer_config.json`. */
  readonly tokenizerConfig: object;
  /** The text of `chat_template.jinja`, which takes precedence over the template in `tokenizerConfig`. */
  readonly chatTemplate?: string | null;
  /** The end-of-sequence token of a tokenizer that names none. */
  readonly eosTokenId?: number | null;
}

/** The names under which `tokenizer_config.json` has special tokens, and templates find them. */
const SPECIAL_TOKENS = [
  'bos_token',
  'eos_token',
  'unk_token',
  'sep_token',
  'pad_token',
  'cls_token',
  'mask_token',
] as const;
type SpecialToken = (typeof SPECIAL_TOKENS)[number];

/** A chat template that was ended. Its name tells the trial of a model that the template did not merely raise an error. */
class EndedTemplateError extends ModelFileError {
  override readonly name: string = 'EndedTemplateError';
}

/** A placeholder for an answer; no template changes or writes it. */
const ANSWER = 'Zq7answer7qZ';

/**
 * Builds the codec from files in memory. Its results are those of Hugging Face's libraries for the same files. Spaces are not tidied even
 * if `clean_up_tokenization_spaces` asks for it, as in transformers since 5.0.
 *
 * @throws ModelFileError if the files can't be used.
 */
export function createTextCodec(files: TokenizerFiles): TextCodec {
  return codecOf(files, build(files));
}

/**
 * Builds the tokenizer of a model that should answer: `promptIds` renders the chat template with its generation prompt. A renderer asks a
 * model that has no template.
 *
 * @throws ModelFileError if the files can't be used or no end-of-sequence token is known.
 */
export function createTokenizer(files: TokenizerFiles): Tokenizer {
  const pipeline = build(files);
  const codec = codecOf(files, pipeline);
  const eosTokenId = codec.eosTokenId ?? files.eosTokenId;
  if (eosTokenId == null)
    throw new ModelFileError(
      'The tokenizer names no end-of-sequence token and no eos_token_id was found in generation_config.json or config.json; one is needed to end completions.',
    );
  let tokenBytes: TokenBytes | null = null;
  return {
    ...codec,
    eosTokenId,
    padTokenId: idOf(files, pipeline, 'pad_token') ?? eosTokenId,
    promptIds: (messages, { thinking, moment } = { thinking: false, moment: localMoment() }) =>
      codec.encode(
        codec.renderChat(messages, { addGenerationPrompt: true, enableThinking: thinking, moment }),
      ),
    turnEnd: () => turnEnd(codec),
    tokenBytes: () => (tokenBytes ??= usable('has no bytes for its tokens', () => tokenBytesOf(pipeline))),
  };
}

/** Runs `work`, and turns an error into a ModelFileError. */
function usable<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ModelFileError) throw error;
    throw new ModelFileError(
      `The tokenizer ${what}: ${messageOf(error)}. Use the tokenizer files of the original model.`,
    );
  }
}

function build({ tokenizerJson }: TokenizerFiles): Pipeline {
  try {
    checkTokenIds(tokenizerJson);
    return new Pipeline(tokenizerJson);
  } catch (error) {
    throw new ModelFileError(`tokenizer.json can't be used: ${messageOf(error)}`);
  }
}

function codecOf(files: TokenizerFiles, pipeline: Pipeline): TextCodec {
  const templateText = files.chatTemplate ?? templateIn(files.tokenizerConfig);
  let template: ChatTemplate | null = null;
  const decoded = (ids: readonly number[], withoutSpecial: boolean): string =>
    usable("can't decode", () => pipeline.decode(ids, withoutSpecial));
  return {
    vocabSize: [...pipeline.tokens.keys()].reduce((largest, id) => Math.max(largest, id), -1) + 1,
    bosTokenId: idOf(files, pipeline, 'bos_token'),
    eosTokenId: idOf(files, pipeline, 'eos_token'),
    hasChatTemplate: templateText !== null,
    templateMentions: (text) => templateText?.includes(text) === true,
    encode: (text) => usable("can't encode", () => pipeline.encode(text)),
    decode: (ids) => decoded(ids, true),
    decodeWhole: (ids) => decoded(ids, false),
    renderChat(messages, options) {
      if (templateText === null) throw new ModelFileError('The model has no chat template.');
      try {
        template ??= new ChatTemplate(templateText);
        const variables = { ...variablesOf(files, options), messages };
        return template.render(variables, options.moment ?? localMoment());
      } catch (error) {
        if (error instanceof TemplateLimitError) throw new EndedTemplateError(error.message);
        throw new ModelFileError(`The model's chat template could not be applied: ${messageOf(error)}`);
      }
    },
  };
}

/** The text of a special token; null if the config has none of that name. */
function specialToken({ tokenizerConfig }: TokenizerFiles, name: SpecialToken): string | null {
  const value: unknown = new Map<string, unknown>(Object.entries(tokenizerConfig)).get(name);
  if (typeof value === 'string') return value;
  const isToken = typeof value === 'object' && value !== null && 'content' in value;
  return isToken && typeof value.content === 'string' ? value.content : null;
}

function idOf(files: TokenizerFiles, pipeline: Pipeline, name: SpecialToken): number | null {
  const token = specialToken(files, name);
  return token === null ? null : pipeline.idOf(token);
}

/** The chat template of a config; if it has several, the one called `default`. */
function templateIn(tokenizerConfig: object): string | null {
  const value: unknown = 'chat_template' in tokenizerConfig ? tokenizerConfig.chat_template : null;
  if (value == null || value === '') return null;
  if (typeof value === 'string') return value;
  const named: readonly unknown[] = Array.isArray(value) ? value : [];
  for (const entry of named) {
    if (typeof entry !== 'object' || entry === null || !('name' in entry && 'template' in entry)) continue;
    if (entry.name === 'default' && typeof entry.template === 'string') return entry.template;
  }
  throw new ModelFileError(
    'chat_template in tokenizer_config.json must be a text, or a list of {name, template} with one named "default".',
  );
}

/** The variables of a template besides the conversation, as transformers passes them. */
function variablesOf(files: TokenizerFiles, { addGenerationPrompt, enableThinking }: ChatOptions): object {
  const tokens = SPECIAL_TOKENS.flatMap((name) => {
    const token = specialToken(files, name);
    return token === null ? [] : [[name, token] as const];
  });
  return {
    ...Object.fromEntries(tokens),
    add_generation_prompt: addGenerationPrompt,
    tools: null,
    documents: null,
    ...(enableThinking === undefined ? {} : { enable_thinking: enableThinking }),
  };
}

function turnEnd(codec: TextCodec): number[] {
  const dialogue: ChatMessage[] = [
    { role: 'user', content: '1' },
    { role: 'assistant', content: ANSWER },
  ];
  try {
    const text = codec.renderChat(dialogue, { addGenerationPrompt: false, enableThinking: false });
    const at = text.lastIndexOf(ANSWER);
    return at < 0 ? [] : codec.encode(text.slice(at + ANSWER.length));
  } catch {
    return [];
  }
}
