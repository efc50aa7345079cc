/** The messages that a model is asked with, and the end of its answer, which tasks and the engine both speak of. */

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** The end of a completion: an end-of-sequence token, a stop string, the token budget, or a failed generator. */
export type StopReason = 'eos' | 'stop' | 'max_tokens' | 'error';
