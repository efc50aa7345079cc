/** Renderers turn a conversation into the tokens of a model, and its answer back into text. */
import type { ChatMessage, StopReason } from '@rl-playground/base/conversation';
import { textOfTokens } from './tokenBytes.ts';
import { knowsThoughts, readerWithoutThoughts } from './thoughts.ts';
import { ModelFileError, type LoadedModel, type PromptOptions, type Tokenizer } from './types.ts';
import { localMoment } from '@rl-playground/base/clock';

export const RENDERER_NAMES = ['chat_template', 'role_colon'] as const;
export type RendererName = (typeof RENDERER_NAMES)[number];

export interface Reading {
  /** The text that is scored: the answer without the mark that ended it, and without thoughts. */
  readonly text: string;
  /**
   * The end of the answer as a message. `stop`: a proper end, as the renderer ends a message. `eos`: a clean end by another
   * end-of-sequence token. `max_tokens`: no proper end, for any reason.
   */
  readonly stopReason: StopReason;
}

export interface Renderer {
  readonly name: RendererName;
  /** Texts that end an answer while it is sampled, besides the model's stop tokens. */
  readonly stopStrings: readonly string[];
  /** The tokens of the conversation and the beginning of the answer. */
  promptIds(messages: readonly ChatMessage[]): number[];
  /** The tokens of an answer as the model should write it after the prompt, with its proper end. */
  answerIds(text: string): number[];
  /** Reads an answer. `stopReason` is the sampler's; with `eos` the last token is a stop token. */
  textOf(tokens: readonly number[], stopReason: StopReason): Reading;
}

/** The text with which a base model continues the conversation by itself. */
const DELIMITER = '\n\nUser:';

const HEADERS: Readonly<Record<ChatMessage['role'], string>> = {
  system: 'System:',
  user: 'User:',
  assistant: 'Assistant:',
};

/** The end of an answer whose text holds so many delimiters. */
function verdict(delimiters: number, stopReason: StopReason): StopReason {
  if (stopReason === 'error') return 'error';
  if (delimiters === 0) return stopReason === 'eos' ? 'eos' : 'max_tokens';
  return delimiters === 1 && stopReason !== 'eos' ? 'stop' : 'max_tokens';
}

/** The parts of a model that a renderer needs. */
export type RenderedModel = Pick<LoadedModel, 'tokenizer' | 'stopTokenIds'> &
  Partial<Pick<LoadedModel, 'stopStrings'>>;

/** The text before the first of the stop strings, or the whole text if it holds none. */
function beforeStop(text: string, stops: readonly string[]): string {
  const places = stops.map((stop) => text.indexOf(stop)).filter((at) => at >= 0);
  return places.length === 0 ? text : text.slice(0, Math.min(...places));
}

/**
 * Renders paragraphs of "Role: content" for base models: the Tinker cookbook's `role_colon`. Headers are tokenized separately from
 * contents, so that the first token of an answer normally includes its space. A delimiter followed by a stop token, or more than one, is
 * malformed there and `max_tokens` here. No delimiter is `eos` if a stop token ends the answer, else malformed. Only the text before the
 * first delimiter is read, without space around it.
 *
 * @throws ModelFileError if the tokenizer has no bytes for single tokens.
 */
function roleColon({ tokenizer, stopStrings = [] }: RenderedModel): Renderer {
  const table = tokenizer.tokenBytes();
  return {
    name: 'role_colon',
    stopStrings: [DELIMITER, ...stopStrings],
    promptIds: (messages) => [
      ...(tokenizer.bosTokenId === null ? [] : [tokenizer.bosTokenId]),
      ...messages.flatMap(({ role, content }) => [
        ...tokenizer.encode(HEADERS[role]),
        ...tokenizer.encode(` ${content}\n\n`),
      ]),
      ...tokenizer.encode(HEADERS.assistant),
    ],
    answerIds(text) {
      const apart = [...tokenizer.encode(` ${text}\n\n`), ...tokenizer.encode(HEADERS.user)];
      // SentencePiece begins every text with a space, which would part the delimiter.
      const joined = textOfTokens(table, apart).includes(DELIMITER);
      return joined ? apart : tokenizer.encode(` ${text}${DELIMITER}`);
    },
    textOf(tokens, stopReason) {
      const ended = stopReason === 'eos';
      const parts = textOfTokens(table, ended ? tokens.slice(0, -1) : tokens).split(DELIMITER);
      const [first = '', ...others] = parts;
      const own = beforeStop(first, stopStrings);
      const stopped = others.length === 0 && own.length < first.length;
      return { text: own.trim(), stopReason: stopped ? 'eos' : verdict(others.length, stopReason) };
    },
  };
}

/** True if the prompt ends inside a thought, as in templates of models that always think. */
function beginsThought(tokenizer: Tokenizer, { thinking, moment }: PromptOptions): boolean {
  try {
    const asked = [{ role: 'user', content: '1' }];
    const text = tokenizer.renderChat(asked, { addGenerationPrompt: true, enableThinking: thinking, moment });
    return text.trimEnd().endsWith('<think>');
  } catch {
    return false;
  }
}

/**
 * Renders the model's own chat template. A message ends properly with the stop token that the template puts after an answer
 * (`<|im_end|>`, `<|eot_id|>`), as with the token-based renderers of the Tinker cookbook, or with one of the model's stop strings. If the
 * template puts no stop token there, any of them is proper.
 *
 * @throws ModelFileError if the model has no template.
 */
function chatTemplate(
  { tokenizer, stopTokenIds, stopStrings = [] }: RenderedModel,
  options: PromptOptions,
): Renderer {
  if (!tokenizer.hasChatTemplate)
    throw new ModelFileError(
      'The model has no chat template, which the renderer "chat_template" needs; choose "role_colon", or "auto".',
    );
  const turnEnd = tokenizer.turnEnd().find((id) => stopTokenIds.includes(id));
  const read =
    options.scoreThoughts !== true && (options.thinking || knowsThoughts(tokenizer))
      ? readerWithoutThoughts(tokenizer, beginsThought(tokenizer, options))
      : (tokens: readonly number[]) => tokenizer.decode(tokens);
  return {
    name: 'chat_template',
    stopStrings,
    promptIds: (messages) => tokenizer.promptIds(messages, options),
    answerIds: (text) => [...tokenizer.encode(text), turnEnd ?? tokenizer.eosTokenId],
    textOf(tokens, stopReason) {
      const proper = stopReason === 'eos' && (turnEnd === undefined || tokens.at(-1) === turnEnd);
      return {
        text: beforeStop(read(tokens), stopStrings),
        stopReason: proper ? 'stop' : stopReason,
      };
    },
  };
}

/** The chat template if there is one: a model without it was never taught to converse. */
export function recommendedRenderer({ hasChatTemplate }: Pick<Tokenizer, 'hasChatTemplate'>): RendererName {
  return hasChatTemplate ? 'chat_template' : 'role_colon';
}

/**
 * Makes a renderer; `auto` is the recommended one. The default `options` of prompts are no thoughts, and the present time.
 *
 * @throws ModelFileError naming what to choose instead, if the model can't be asked that way.
 */
export function createRenderer(
  choice: RendererName | 'auto',
  model: RenderedModel,
  options: PromptOptions = { thinking: false, moment: localMoment() },
): Renderer {
  const name = choice === 'auto' ? recommendedRenderer(model.tokenizer) : choice;
  return name === 'role_colon' ? roleColon(model) : chatTemplate(model, options);
}
