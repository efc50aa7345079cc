/** Puts what a person writes to the versions of the model, and follows their answers. */
import { useRef, useState } from 'react';
import type { ChatAnswers } from '@rl-playground/run/chat';
import type { RunConfig } from '@rl-playground/run/settings';
import type { Problem } from '@rl-playground/tasks/parts';
import { useShownConfig } from '../../run/form/useField.ts';
import { useRun } from '../../run/state/runStore.ts';
import { throttled } from '../../ui/draw/throttle.ts';
import { noteDeed, reportError } from '../../ui/open/openStore.ts';
import { askedMessages, rewardOf, wordsOf } from './asked.ts';
import {
  replied,
  stopped,
  turnsOf,
  WAITING,
  type ChatTurn,
  type Column,
  type Reply,
} from './conversation.ts';

/** Milliseconds between two drawings of answers that are being written. */
const STREAM_MILLISECONDS = 50;

interface Saying {
  readonly text: string;
  /** The held-out problem that is offered; the words may be others by now. */
  readonly problem: Problem | null;
  readonly columns: readonly Column[];
  readonly temperature: number;
  readonly maxTokens: number;
}

export interface Chat {
  readonly turns: readonly ChatTurn[];
  /** True while answers are being written. */
  readonly under: boolean;
  /** The renderer that made the prompts; null before there are any. */
  readonly renderer: ChatAnswers['renderer'] | null;
  readonly say: (saying: Saying) => Promise<void>;
  readonly stop: () => void;
  readonly clear: () => void;
}

/** The weights of a column are known by their version: that of the step which made them. */
function voiceOf(column: Column): Column {
  if (typeof column !== 'number') return column;
  const { metrics } = useRun.getState().snapshot;
  return metrics.find(({ step }) => step === column)?.policyVersion ?? column;
}

/** The replies that answers come to, by their column. */
async function repliesOf(
  { answers, step }: ChatAnswers,
  columns: readonly Column[],
  problem: Problem | null,
  config: RunConfig,
): Promise<Map<Column, Partial<Reply>>> {
  const found = new Map<Column, Partial<Reply>>();
  for (const answer of answers) {
    const column = columns.find((each) => voiceOf(each) === answer.voice);
    if (column === undefined) continue;
    if ('problem' in answer) {
      found.set(column, { state: 'failed', text: answer.problem });
      continue;
    }
    const { text, kl, leftOut, prompt } = answer;
    const reward = problem && (await rewardOf(problem, answer, config));
    const of = column === 'now' ? step : column === 'before' ? 0 : column;
    found.set(column, { state: 'done', text, kl, leftOut, prompt, reward, step: of });
  }
  return found;
}

export function useChat(): Chat {
  const [turns, setTurns] = useState<readonly ChatTurn[]>([]);
  const [renderer, setRenderer] = useState<Chat['renderer']>(null);
  const asking = useRef<AbortController | null>(null);
  const config = useShownConfig();
  // A conversation with another model, or with one that went back, is over.
  const name = useRun(({ snapshot }) => snapshot.modelName);
  const step = useRun(({ snapshot }) => snapshot.step);
  const [seen, setSeen] = useState({ name, step });
  if (seen.name !== name || seen.step !== step) {
    setSeen({ name, step });
    if (seen.name !== name || step < seen.step) setTurns([]);
  }

  const end = (): void => {
    asking.current?.abort();
    asking.current = null;
  };
  const say = async ({ text, problem, columns, temperature, maxTokens }: Saying): Promise<void> => {
    const { controller, kept, snapshot } = useRun.getState();
    if (controller === null || asking.current !== null) return;
    const stopping = new AbortController();
    asking.current = stopping;
    const style = snapshot.promptStyle ?? 'full';
    const messages = askedMessages(text, problem, style);
    const voices = columns.map((column) => ({ voice: voiceOf(column), turns: turnsOf(turns, column) }));
    setTurns([...turns, { text, messages, replies: new Map(columns.map((column) => [column, WAITING])) }]);
    const texts = new Map<Column, string>();
    const draw = throttled(() => {
      if (asking.current === stopping)
        setTurns((now) =>
          replied(now, (column) => {
            const written = texts.get(voiceOf(column));
            return written === undefined ? null : { text: written, state: 'writing' };
          }),
        );
    }, STREAM_MILLISECONDS);
    try {
      const found = await controller.look(
        'chat',
        config,
        { voices, messages, temperature, maxTokens },
        {
          onText: (of, written) => {
            texts.set(of, written);
            draw();
          },
          signal: stopping.signal,
          stored: kept?.weightsOf,
        },
      );
      if (asking.current !== stopping) return;
      if (found === null) {
        setTurns(turns);
        return;
      }
      noteDeed('ask');
      setRenderer(found.renderer);
      const own = text === wordsOf(problem, style) ? problem : null;
      const replies = await repliesOf(found, columns, own, config);
      setTurns((now) => replied(now, (column) => replies.get(column) ?? null));
    } catch (error) {
      if (stopping.signal.aborted) return;
      setTurns(turns);
      reportError('The question was not answered', error, 'The run is unchanged. Ask again.');
    } finally {
      if (asking.current === stopping) end();
    }
  };
  const last = turns.at(-1);
  const under =
    last !== undefined &&
    [...last.replies.values()].some(({ state }) => state === 'waiting' || state === 'writing');
  return {
    turns,
    under,
    renderer,
    say,
    stop: () => {
      end();
      setTurns(stopped);
    },
    clear: () => {
      end();
      setTurns([]);
    },
  };
}
