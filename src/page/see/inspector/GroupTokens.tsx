/** The answers to one problem side by side, each as its tokens. In this grid, left and right go through an answer, up and down to the next one. */
import { memo, useCallback, useId, useMemo, type KeyboardEvent, type ReactNode } from 'react';
import type { RecordedRollout } from '@rl-playground/run/records';
import { tokenLevels, tokenLook, tokenText, type TokenMeasure } from '../rollouts/tokenMeasures.ts';
import tokensStyle from '../rollouts/tokens.module.css';
import { useInView } from '../../ui/draw/useInView.ts';
import { pointedAt } from '../../ui/draw/pointedAt.ts';
import { movedCursor, type Cursor } from './cursor.ts';
import classes from './inspector.module.css';
import { plural } from '@rl-playground/base/text';
import { signed } from '../../ui/text/format.ts';
import { earned, RewardBadge } from '../rollouts/ProblemCard.tsx';
import { RewardReason } from '../rollouts/RewardReason.tsx';
import { useRun } from '../../run/state/runStore.ts';

/** Tokens that come and go together, and a first guess of their height in pixels. */
const PIECE = { tokens: 48, height: 170 };

interface AnswerTokensProps {
  readonly place: number;
  /** The cell of token t has the id `id-t`. */
  readonly id: string;
  readonly answer: RecordedRollout;
  /** The place of the answer in the group, from 1. */
  readonly number: number;
  /** The token that is looked at, or null where it belongs to another answer. */
  readonly at: number | null;
  readonly measure: TokenMeasure;
  /** True if that token is scrolled into sight. */
  readonly scrolls: boolean;
  readonly onToken: (place: number, token: number) => void;
}

function Pieces(props: AnswerTokensProps): ReactNode {
  const { id, place, answer, at, measure, scrolls, onToken } = props;
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
            className={`${tokensStyle.tokens} ${classes.piece}`}
            style={{ transform: `translateY(${start}px)` }}
          >
            {tokens.slice(index * PIECE.tokens, (index + 1) * PIECE.tokens).map((token, i) => {
              const t = index * PIECE.tokens + i;
              const text = tokenText(controller, token);
              return (
                <span
                  key={t}
                  id={`${id}-${t}`}
                  role="gridcell"
                  tabIndex={-1}
                  className={tokensStyle.token}
                  aria-colindex={t + 1}
                  aria-selected={t === at}
                  aria-label={`token ${t + 1}: ${text}`}
                  {...tokenLook(levels[t] ?? 0)}
                  onMouseMove={pointedAt(() => t !== at && onToken(place, t))}
                  onPointerDown={() => onToken(place, t)}
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

/** An answer is drawn again where its own token moves, not where another answer's does. */
const AnswerTokens = memo(function AnswerTokens(props: AnswerTokensProps): ReactNode {
  const { reward, advantage, tokens, trained, text } = props.answer;
  return (
    <>
      <div role="rowheader" className={`row ${classes.columnHead}`}>
        <b>Answer {props.number}</b>
        <RewardBadge total={reward.total} good={earned(reward.correct, reward.total)} />
        <span>
          A <span className="number">{signed(advantage, 2)}</span>, {plural(tokens.length, 'token')}
          {trained === null && ', left out of the update'}
        </span>
        {reward.reason !== '' && <RewardReason reward={reward} />}
      </div>
      {tokens.length > 0 ? (
        <Pieces {...props} />
      ) : (
        <p className="quiet">
          {text === ''
            ? 'An empty answer.'
            : 'The record of this answer has no tokens: an earlier version of the page wrote it.'}
        </p>
      )}
    </>
  );
});

/** The pixels of an answer with its gap. */
const COLUMN_WIDTH = 300;

interface GroupTokensProps {
  readonly answers: readonly RecordedRollout[];
  /** The places of the answers to the problem. */
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
  const point = useCallback(
    (place: number, token: number) => onCursor({ place, token, pointed: true }),
    [onCursor],
  );
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
                place={place}
                answer={answer}
                number={index + 1}
                at={place === cursor.place ? cursor.token : null}
                measure={measure}
                scrolls={!cursor.pointed}
                onToken={point}
              />
            </div>
          );
        })}
      </div>
    </div>
  );
}
