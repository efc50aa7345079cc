/** Conversations with several versions of a model, and the part of each that its context has room for. */
import type { ChatMessage } from '@rl-playground/base/conversation';

/** One turn of a conversation that is over: what the person said, and the answer. */
export interface Turn {
  readonly messages: readonly ChatMessage[];
  readonly answer: string;
}

/** The messages of some turns and a question. A system message is that of the first: templates take none later. */
export function messagesOf(turns: readonly Turn[], question: readonly ChatMessage[]): ChatMessage[] {
  const all = turns.flatMap(({ messages, answer }): ChatMessage[] => [
    ...messages,
    { role: 'assistant', content: answer },
  ]);
  return [...all, ...question].filter(({ role }, i) => i === 0 || role !== 'system');
}

/** The prompt of a conversation. */
export interface FittingPrompt {
  readonly promptIds: readonly number[];
  /** The oldest turns that had no room. */
  readonly leftOut: number;
}

/** Leaves out the oldest turns until prompt and answer have room in `positions`; null where the question alone has none. */
export function fitting(
  turns: readonly Turn[],
  question: readonly ChatMessage[],
  promptIds: (messages: readonly ChatMessage[]) => readonly number[],
  room: { readonly maxTokens: number; readonly positions: number },
): FittingPrompt | null {
  for (let leftOut = 0; leftOut <= turns.length; leftOut++) {
    const ids = promptIds(messagesOf(turns.slice(leftOut), question));
    if (ids.length + room.maxTokens <= room.positions) return { promptIds: ids, leftOut };
  }
  return null;
}
