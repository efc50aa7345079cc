/** The conversation of a person with several versions of a model: each turn is put to all of them, and each has its own answers. */
import type { Turn } from '@rl-playground/run/chat';
import type { ChatMessage } from '@rl-playground/base/conversation';
import type { Reward } from '@rl-playground/tasks/parts';

/** The model before training, the one of now, or the one behind an earlier step. */
export type Column = 'before' | 'now' | number;

export interface Reply {
  readonly text: string;
  /** A reply that was stopped is part of the conversation as far as it was written. One that failed is not. */
  readonly state: 'waiting' | 'writing' | 'done' | 'stopped' | 'failed';
  /** The step whose weights answered; null until it is known. */
  readonly step: number | null;
  /** The mean of KL(now ‖ before) over the tokens, in nats; null where it was not measured. */
  readonly kl: number | null;
  /** The oldest turns that had no room. */
  readonly leftOut: number;
  /** The text that the model read. */
  readonly prompt: string;
  /** The grader's verdict on an answer to a held-out problem. */
  readonly reward: Reward | null;
}

export const WAITING: Reply = {
  text: '',
  state: 'waiting',
  step: null,
  kl: null,
  leftOut: 0,
  prompt: '',
  reward: null,
};

export interface ChatTurn {
  /** The person's words. */
  readonly text: string;
  readonly messages: readonly ChatMessage[];
  readonly replies: ReadonlyMap<Column, Reply>;
}

/** The columns of a turn. Before the first update all versions are one, which is that of now. */
export function columnsAt(moved: boolean, past: number | null): readonly Column[] {
  if (!moved) return ['now'];
  return past === null ? ['before', 'now'] : ['before', past, 'now'];
}

/** True for a reply that has ended and that its column remembers. */
const isOver = (reply: Reply | undefined): reply is Reply =>
  reply !== undefined && (reply.state === 'done' || reply.state === 'stopped');

/**
 * The conversation of a column so far. A column that answered nothing at a turn begins behind it, because it can't know what the others
 * said. Where the versions were one, the answers are those of before and of now.
 */
export function turnsOf(turns: readonly ChatTurn[], column: Column): Turn[] {
  const own: Turn[] = [];
  for (const { messages, replies } of turns) {
    const reply = replies.get(column) ?? (replies.size === 1 ? replies.get('now') : undefined);
    if (isOver(reply)) own.push({ messages, answer: reply.text });
    else own.length = 0;
  }
  return own;
}

/** Changes replies of the last turn. */
export function replied(
  turns: readonly ChatTurn[],
  change: (column: Column, reply: Reply) => Partial<Reply> | null,
): readonly ChatTurn[] {
  return turns.map((turn, i) =>
    i < turns.length - 1
      ? turn
      : {
          ...turn,
          replies: new Map(
            [...turn.replies].map(([column, reply]) => [column, { ...reply, ...change(column, reply) }]),
          ),
        },
  );
}

/** The last turn as it is where a person stopped it: what was written stays, and what was not begun has failed. */
export function stopped(turns: readonly ChatTurn[]): readonly ChatTurn[] {
  return replied(turns, (_, { state, text }) =>
    state === 'writing' || state === 'waiting' ? { state: text === '' ? 'failed' : 'stopped' } : null,
  );
}

/** Steps whose weights may be asked, at most so many and evenly spaced. */
const MOST_STEPS = 20;

export function stepsToAsk(step: number): number[] {
  const every = Math.max(1, Math.ceil((step - 1) / MOST_STEPS));
  return Array.from({ length: Math.max(0, step - 1) }, (_, i) => i + 1).filter((each) => each % every === 0);
}
