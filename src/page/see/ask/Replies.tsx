/** One turn of the conversation: the person's words, and the reply of each version of the model. */
import type { ReactNode } from 'react';
import { plural } from '@rl-playground/base/text';
import { RightOrWrong } from '../../ui/parts/words.tsx';
import { PromptFold } from '../rollouts/ModelPrompt.tsx';
import { RewardReason } from '../rollouts/RewardReason.tsx';
import { Said } from '../evaluation/Said.tsx';
import type { ChatTurn, Column, Reply } from './conversation.ts';
import boxes from '../../ui/style/boxes.module.css';

/** KL in its colour, with the digits that tell it from none. */
export function Kl({ kl }: { readonly kl: number }): ReactNode {
  return (
    <span
      style={{ color: 'var(--series-kl)' }}
      title="KL(now ‖ before), the mean over the tokens of this answer"
    >
      KL <b className="number">{kl.toFixed(3)}</b> nats a token
    </span>
  );
}

function titleOf(column: Column, { step }: Reply, alone: boolean, before: string): string {
  if (alone) return 'Before the first step';
  if (column === 'before') return before;
  if (column !== 'now') return `After step ${column}`;
  return step === null ? 'Now' : `Now, after step ${step}`;
}

function Below({ reply }: { readonly reply: Reply }): ReactNode {
  const { state, kl, leftOut, reward, prompt } = reply;
  return (
    <>
      {reward && (
        <p data-correct={reward.correct}>
          <RightOrWrong right={reward.correct} /> <RewardReason reward={reward} />
        </p>
      )}
      {kl !== null && (
        <p>
          <Kl kl={kl} />
        </p>
      )}
      {state === 'stopped' && <p className="quiet">Stopped.</p>}
      {leftOut > 0 && (
        <p className="quiet">
          The context is full: {plural(leftOut, 'turn')} at the beginning {leftOut === 1 ? 'was' : 'were'}{' '}
          left out.
        </p>
      )}
      {prompt !== '' && <PromptFold read={() => prompt} />}
    </>
  );
}

interface RepliesProps {
  readonly turn: ChatTurn;
  /** The title of the model before training. */
  readonly before: string;
}

export function Replies({ turn: { text, replies }, before }: RepliesProps): ReactNode {
  const alone = replies.size === 1;
  return (
    <div className="stack close" data-testid="ask-turn">
      <p>
        <b>You:</b> {text}
      </p>
      <div className={`${boxes.cards} ${boxes.wide}`}>
        {[...replies].map(([column, reply]) =>
          reply.state === 'failed' ? (
            <div key={column} className="stack close">
              <b>{titleOf(column, reply, alone, before)}</b>
              <p className="quiet">{reply.text === '' ? 'Stopped before it answered.' : reply.text}</p>
            </div>
          ) : (
            <Said
              key={column}
              title={titleOf(column, reply, alone, before)}
              text={reply.state === 'waiting' ? null : reply.text}
              writing={reply.state === 'writing' || reply.state === 'waiting'}
            >
              <Below reply={reply} />
            </Said>
          ),
        )}
      </div>
    </div>
  );
}

/** The replies of a turn as a screen reader says them once they have ended. */
export function spoken({ replies }: ChatTurn, before: string): string {
  const all = [...replies];
  if (all.some(([, { state }]) => state === 'waiting' || state === 'writing')) return '';
  return all
    .map(([column, reply]) => `${titleOf(column, reply, all.length === 1, before)}: ${reply.text}`)
    .join('. ');
}
