/** The answers to one problem side by side, each as its tokens. One grid: left and right go through an answer, up and down to the next one. */
import { useId, type KeyboardEvent, type ReactNode } from 'react';
import type { RecordedRollout } from '../../../run/records/rolloutRecord.ts';
import type { TokenMeasure } from '../rollouts/tokenMeasures.ts';
import { useInView } from '../../ui/draw/useInView.ts';
import { AnswerTokens } from './AnswerTokens.tsx';
import { movedCursor, type Cursor } from './cursor.ts';
import classes from './inspector.module.css';

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
