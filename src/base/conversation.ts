/** The messages that a model is asked with, and the end of its answer, which tasks and the engine both speak of. */

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** The keys of a message, beside role and content, that chat templates read and `ChatMessage` has no place for. */
const UNCARRIED = [
  'tool_calls',
  'function_call',
  'tool_call_id',
  'reasoning_content',
  'reasoning',
  'thinking',
];

/** The first key of a message that a chat template would read and nothing here hands to it, or null. An empty value is none. */
export function uncarriedKey(message: Readonly<Record<string, unknown>>): string | null {
  const isEmpty = (value: unknown): boolean =>
    value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
  return UNCARRIED.find((key) => !isEmpty(message[key])) ?? null;
}

/** The end of a completion: an end-of-sequence token, a stop string, the token budget, or a failed generator. */
export type StopReason = 'eos' | 'stop' | 'max_tokens' | 'error';
