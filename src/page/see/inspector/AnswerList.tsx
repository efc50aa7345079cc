/** The answers of a step as a list with a search, filters and orders. Only the rows in sight are drawn. */
import { Group, TextInput } from '@mantine/core';
import { useId, useMemo, useState, type KeyboardEvent, type ReactNode } from 'react';
import { plural } from '@rl-playground/base/text';
import type { RecordedRollout } from '@rl-playground/run/records';
import { count, signed } from '../../ui/text/format.ts';
import { earned, RewardBadge } from '../rollouts/ProblemCard.tsx';
import { Choice } from '../../ui/parts/Choice.tsx';
import { useInView } from '../../ui/draw/useInView.ts';
import { FILTERS, listedAnswers, SORTS, type ListChoice } from './answerList.ts';
import classes from './inspector.module.css';

const ROW_HEIGHT = 46;
/** The rows that a page key moves by. */
const PAGE_ROWS = 8;

interface ListControlsProps {
  readonly choice: ListChoice;
  readonly onChoice: (choice: ListChoice) => void;
}

function ListControls({ choice, onChoice }: ListControlsProps): ReactNode {
  const { search, filter, sort } = choice;
  return (
    <Group align="end" gap="8px 16px">
      <TextInput
        label="Search questions and answers"
        value={search}
        data-testid="inspector-search"
        onChange={({ currentTarget: { value } }) => onChoice({ ...choice, search: value })}
      />
      <Choice
        label="Show"
        value={filter}
        words={FILTERS}
        onChoose={(chosen) => onChoice({ ...choice, filter: chosen })}
      />
      <Choice
        label="Sort"
        value={sort}
        words={SORTS}
        onChoose={(chosen) => onChoice({ ...choice, sort: chosen })}
      />
    </Group>
  );
}

interface AnswerListProps {
  readonly answers: readonly RecordedRollout[];
  readonly place: number;
  readonly onPlace: (place: number) => void;
}

export function AnswerList({ answers, place, onPlace }: AnswerListProps): ReactNode {
  const id = useId();
  const [choice, setChoice] = useState<ListChoice>({ search: '', filter: 'all', sort: 'sampled' });
  const listed = useMemo(() => listedAnswers(answers, choice), [answers, choice]);
  const at = listed.findIndex((each) => each.place === place);
  const shape = { count: listed.length, size: ROW_HEIGHT, overscan: 6 };
  const { scroller, items, total } = useInView(shape, at);
  const keys: Readonly<Record<string, number>> = {
    ArrowUp: at - 1,
    ArrowDown: at + 1,
    PageUp: at - PAGE_ROWS,
    PageDown: at + PAGE_ROWS,
    Home: 0,
    End: listed.length - 1,
  };
  const press = (event: KeyboardEvent): void => {
    const to = keys[event.key];
    const next = to === undefined ? undefined : listed[Math.max(0, Math.min(listed.length - 1, to))];
    if (next === undefined) return;
    event.preventDefault();
    onPlace(next.place);
  };
  return (
    <div className="stack">
      <ListControls choice={choice} onChoice={setChoice} />
      <div
        ref={scroller}
        className={classes.list}
        role="listbox"
        tabIndex={0}
        aria-label="Answers of this step"
        aria-activedescendant={at < 0 ? undefined : `${id}-${place}`}
        data-testid="inspector-answers"
        onKeyDown={press}
      >
        <div style={{ height: total, position: 'relative' }} role="presentation">
          {items.map(({ index, start }) => {
            const row = listed[index];
            if (row === undefined) return null;
            const { question, text, reward, advantage, tokens } = row.answer;
            return (
              <div
                key={row.place}
                id={`${id}-${row.place}`}
                role="option"
                tabIndex={-1}
                className={classes.answer}
                style={{ transform: `translateY(${start}px)`, height: ROW_HEIGHT }}
                aria-selected={row.place === place}
                aria-setsize={listed.length}
                aria-posinset={index + 1}
                onClick={() => onPlace(row.place)}
                onKeyDown={press}
              >
                <RewardBadge total={reward.total} good={earned(reward.correct, reward.total)} />
                <span className={classes.rowText}>{text}</span>
                <span className={classes.rowFacts}>
                  {reward.reason === '' ? '' : `${reward.reason} `}A {signed(advantage, 2)},{' '}
                  {plural(tokens.length, 'token')}, to {question}
                </span>
              </div>
            );
          })}
        </div>
      </div>
      <p className="quiet" aria-live="polite">
        {count(listed.length)} of {plural(answers.length, 'answer')}
      </p>
    </div>
  );
}
