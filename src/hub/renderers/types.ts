/** What lies between a conversation and the tokens of a model, and back. */
import type { ChatMessage, StopReason } from '../../tasks/types.ts';

export const RENDERER_NAMES = ['chat_template', 'role_colon'] as const;
export type RendererName = (typeof RENDERER_NAMES)[number];

export interface Reading {
  /** What is scored: the answer without what ended it. */
  readonly text: string;
  /**
   * How the answer ended as a message. `stop`: properly, as the renderer ends one. `eos`: cleanly, but by another end of the
   * sequence. `max_tokens`: not properly, whatever the reason.
   */
  readonly stopReason: StopReason;
}

export interface Renderer {
  readonly name: RendererName;
  /** Texts that end an answer while it is sampled, besides the model's stop tokens. */
  readonly stopStrings: readonly string[];
  /** The conversation and the beginning of the answer. */
  promptIds(messages: readonly ChatMessage[]): number[];
  /** An answer as the model should write it behind those, with what ends it properly. */
  answerIds(text: string): number[];
  /** Reads an answer. `stopReason`: the sampler's; with `eos` the last token is a stop token. */
  textOf(tokens: readonly number[], stopReason: StopReason): Reading;
}
