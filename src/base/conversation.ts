/** Words that a model is asked with, and how its answer ended: what tasks and the engine both speak of. */

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** Why a completion ended: end-of-sequence token, stop string, token budget, or a failed generator. */
export type StopReason = 'eos' | 'stop' | 'max_tokens' | 'error';
