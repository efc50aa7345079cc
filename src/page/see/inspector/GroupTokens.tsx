/** The answers to one problem side by side, each as its tokens. One grid: left and right go through an answer, up and down to the next one. */
import { useId, type KeyboardEvent, type ReactNode, memo, useMemo, type CSSProperties } from 'react';
import type { RecordedRollout } from '@rl-playground/run/records';
import { type TokenMeasure, tokenLevels } from '../rollouts/tokenMeasures.ts';
import { useInView } from '../../ui/draw/useInView.ts';
import { pointedAt } from '../../ui/draw/pointedAt.ts';
import { movedCursor, type Cursor, tokenText } from './cursor.ts';
import classes from './inspector.module.css';
import { plural } from '@rl-playground/base/text';
import { signed } from '../../ui/text/format.ts';
import { earned, RewardBadge } from '../rollouts/ProblemCard.tsx';
import { RewardReason } from '../rollouts/RewardReason.tsx';
import { useRun } from '../../run/state/runStore.ts';

/** Tokens that come and go together, and what they take as a first guess, in pixels. */
const PIECE = { tokens: 48, height: 170 };

interface AnswerTokensProps {
  /** Of the cell of token t: `id-t`. */
  readonly id: string;
  readonly answer: RecordedRollout;
  /** Its place in the group, from 1 on. */
  readonly number: number;
  /** The token that is looked at; null where it is another answer's. */
  readonly at: number | null;
  readonly measure: TokenMeasure;
  /** Whether that token is brought into sight. */
  readonly scrolls: boolean;
  readonly onToken: (token: number) => void;
}

function Head({ answer, number }: Pick<AnswerTokensProps, 'answer' | 'number'>): ReactNode {
  const { reward, advantage, tokens, trained } = answer;
  return (
    <div role="rowheader" className={classes.columnHead}>
      <b>Answer {number}</b>
      <RewardBadge total={reward.total} good={earned(reward.correct, reward.total)} />
      <span>
        A <span className="number">{signed(advantage, 2)}</span>, {plural(tokens.length, 'token')}
        {trained === null && ', left out of the update'}
      </span>
      {reward.reason !== '' && <RewardReason reward={reward} />}
    </div>
  );
}

function Pieces({ id, answer, at, measure, scrolls, onToken }: Omit<AnswerTokensProps, 'number'>): ReactNode {
  const controller = useRun((state) => state.controller);
  const levels = useMemo(() => tokenLevels(answer, measure), [answer, measure]);
  const { tokens } = answer;
  const shape = { count: Math.ceil(tokens.length / PIECE.tokens), size: PIECE.height, overscan: 1 };
  const piece = at === null || !scrolls ? -1 : Math.floor(at / PIECE.tokens);
  const { scroller, measured, items, total } = useInView(shape, piece);
  return (
    <div ref={scroller} className={classes.tokens} role="presentation">
      <div style={{ height: total, position: 'relative' }} role="presentation">
        {items.map(({ index, start }) => (
          <div
            key={index}
            ref={measured}
            data-index={index}
            role="presentation"
            className={classes.piece}
            style={{ transform: `translateY(${start}px)` }}
          >
            {tokens.slice(index * PIECE.tokens, (index + 1) * PIECE.tokens).map((token, i) => {
              const t = index * PIECE.tokens + i;
              const level = levels[t] ?? 0;
              const text = tokenText(controller, token);
              return (
                <span
                  key={t}
                  id={`${id}-${t}`}
                  role="gridcell"
                  tabIndex={-1}
                  className={classes.token}
                  aria-colindex={t + 1}
                  aria-selected={t === at}
                  aria-label={`token ${t + 1}: ${text}`}
                  data-sign={level < 0 ? 'below' : 'above'}
                  style={{ '--level': `${Math.round(45 * Math.abs(level))}%` } as CSSProperties}
                  onMouseMove={pointedAt(() => t !== at && onToken(t))}
                  onPointerDown={() => onToken(t)}
                >
                  {text}
                </span>
              );
            })}
          </div>
        ))}
      </div>
    </div>
  );
}

/** Drawn again where its own token moves, not where another answer's does. */
const AnswerTokens = memo(
  function AnswerTokens({ number, ...of }: AnswerTokensProps): ReactNode {
    const { answer } = of;
    return (
      <>
        <Head answer={answer} number={number} />
        {answer.tokens.length > 0 ? (
          <Pieces {...of} />
        ) : (
          <p className="quiet">
            {answer.text === ''
              ? 'An empty answer.'
              : 'The record of this answer has no tokens: an earlier version of the page wrote it.'}
          </p>
        )}
      </>
    );
  },
  (before, after) =>
    before.answer === after.answer &&
    before.at === after.at &&
    before.scrolls === after.scrolls &&
    before.measure === after.measure &&
    before.number === after.number,
);

/** Pixels of an answer, with the gap behind it. */
const COLUMN_WIDTH = 300;

interface GroupTokensProps {
  /** All of the step. */
  readonly answers: readonly RecordedRollout[];
  /** Of those to the problem. */
  readonly places: readonly number[];
  readonly cursor: Cursor;
  readonly measure: TokenMeasure;
  readonly onCursor: (cursor: Cursor) => void;
}

export function GroupTokens(props: GroupTokensProps): ReactNode {
  const { answers, places, cursor, measure, onCursor } = props;
  const id = useId();
  const shape = { count: places.length, size: COLUMN_WIDTH, overscan: 1, horizontal: true };
  const { scroller, items, total } = useInView(shape, cursor.pointed ? -1 : places.indexOf(cursor.place));
  const length = answers[cursor.place]?.tokens.length ?? 0;
  const press = (event: KeyboardEvent): void => {
    const grid = { places, lengthOf: (place: number) => answers[place]?.tokens.length ?? 0 };
    const moved = movedCursor(event.key, cursor, grid);
    if (moved === null) return;
    event.preventDefault();
    onCursor(moved);
  };
  return (
    <div
      ref={scroller}
      className={classes.columns}
      role="grid"
      tabIndex={0}
      aria-label="Tokens of the answers to this problem"
      aria-rowcount={places.length}
      aria-activedescendant={length === 0 ? undefined : `${id}-${cursor.place}-${cursor.token}`}
      data-testid="inspector-tokens"
      onKeyDown={press}
    >
      <div className={classes.track} style={{ width: total }} role="presentation">
        {items.map(({ index, start }) => {
          const place = places[index];
          const answer = place === undefined ? undefined : answers[place];
          if (place === undefined || answer === undefined) return null;
          return (
            <div
              key={place}
              role="row"
              aria-rowindex={index + 1}
              className={classes.column}
              style={{ transform: `translateX(${start}px)` }}
              data-current={place === cursor.place || undefined}
            >
              <AnswerTokens
                id={`${id}-${place}`}
                answer={answer}
                number={index + 1}
                at={place === cursor.place ? cursor.token : null}
                measure={measure}
                scrolls={!cursor.pointed}
                onToken={(token) => onCursor({ place, token, pointed: true })}
              />
            </div>
          );
        })}
      </div>
    </div>
  );
}
