/** The token inspector: a step of the run, one of its answers, and beside it the others to the same problem, token by token. */
import { NativeSelect } from '@mantine/core';
import { useMemo, useRef, useState, type ReactNode, type RefObject, useId } from 'react';
import type { RecordedRollout } from '@rl-playground/run/records';
import { ModelPrompt } from '../rollouts/ModelPrompt.tsx';
import { useWhileSeen } from '../../ui/draw/onScreen.ts';
import { isTokenMeasure, TOKEN_MEASURES, type TokenMeasure } from '../rollouts/tokenMeasures.ts';
import { useRun } from '../../run/state/runStore.ts';
import { AnswerList } from './AnswerList.tsx';
import { groupsOf } from './answerList.ts';
import type { Cursor } from './cursor.ts';
import { GroupTokens } from './GroupTokens.tsx';
import { useKeptSteps, useStepAnswers, useTerms } from './keptAnswers.ts';
import { TokenDetail } from './TokenDetail.tsx';
import classes from './inspector.module.css';
import { count } from '../../ui/text/format.ts';

interface StepSliderProps {
  /** In order, not all of them need to be there. */
  readonly steps: readonly number[];
  readonly step: number;
  /** Whether it is the newest, and the next one takes its place. */
  readonly follows: boolean;
  /** Null for the newest, whichever it is. */
  readonly onStep: (step: number | null) => void;
}

/** Moves over the kept steps; at its end it follows the run. */
function StepSlider({ steps, step, follows, onStep }: StepSliderProps): ReactNode {
  const id = useId();
  const last = steps.length - 1;
  const at = follows ? last : Math.max(0, steps.indexOf(step));
  return (
    <div className={classes.slider}>
      <label htmlFor={id}>
        Step <b className="number">{count(step)}</b>
        {follows && ', the newest'}
      </label>
      <input
        id={id}
        type="range"
        min={0}
        max={Math.max(0, last)}
        step={1}
        value={at}
        aria-valuetext={`step ${step}${follows ? ', the newest' : ''}`}
        data-testid="inspector-step"
        onChange={({ currentTarget: { value } }) =>
          onStep(Number(value) === last ? null : (steps[Number(value)] ?? null))
        }
      />
      <span className="quiet">
        {count(steps.length)} kept, {count(steps[0])} to {count(steps[last])}
      </span>
    </div>
  );
}

function Empty({ problem }: { readonly problem: string | null }): ReactNode {
  const run = useRun((state) => state.snapshot.metrics.length > 0);
  if (problem !== null) return <p role="alert">The answers can’t be read: {problem}</p>;
  return (
    <p className="quiet">
      {run
        ? 'No answers of this run are kept here: it was opened from a checkpoint, which has none, or another tab trains it. A run directory brings its answers along.'
        : 'From the first step on, every kept answer can be looked at here: token by token, with what each adds to the loss.'}
    </p>
  );
}

function GroupChoice({
  groups,
  answers,
  group,
  onGroup,
}: {
  readonly groups: ReadonlyMap<number, readonly number[]>;
  readonly answers: readonly RecordedRollout[];
  readonly group: number | undefined;
  readonly onGroup: (place: number) => void;
}): ReactNode {
  return (
    <NativeSelect
      size="xs"
      label="Problem"
      className={classes.group}
      value={String(group ?? '')}
      onChange={({ currentTarget: { value } }) => onGroup(groups.get(Number(value))?.[0] ?? 0)}
      data={[...groups].map(([number, [first = 0]]) => ({
        value: String(number),
        label: `${number + 1}: ${answers[first]?.question ?? ''}`,
      }))}
    />
  );
}

/** `frame`: what it stands in. */
function Inspector({ frame }: { readonly frame: RefObject<HTMLElement | null> }): ReactNode {
  /** Null follows the run. */
  const [wanted, setWanted] = useState<number | null>(null);
  const [cursor, setCursor] = useState<Cursor>({ place: 0, token: 0 });
  const [measure, setMeasure] = useState<TokenMeasure>('advantage');
  const steps = useKeptSteps();
  const newest = useWhileSeen(
    frame,
    steps.found.at(-1) ?? null,
    (step) => step !== null && steps.found.includes(step),
  );
  const chosen = wanted !== null && steps.found.includes(wanted) ? wanted : newest;
  const {
    found: { step, answers },
    problem,
  } = useStepAnswers(chosen);
  const groups = useMemo(() => groupsOf(answers), [answers]);
  const place = Math.min(cursor.place, answers.length - 1);
  const answer = answers[place];
  const places = useMemo(() => groups.get(answer?.group ?? -1) ?? [], [groups, answer?.group]);
  const terms = useTerms(answers, places);
  if (answer === undefined || step === null) return <Empty problem={problem ?? steps.problem} />;
  const token = Math.max(0, Math.min(cursor.token, answer.tokens.length - 1));
  const choose = (to: number): void => setCursor({ place: to, token: 0 });
  return (
    <div className="stack wide">
      <div className={classes.choices}>
        <StepSlider steps={steps.found} step={step} follows={chosen === newest} onStep={setWanted} />
        <GroupChoice groups={groups} answers={answers} group={answer.group} onGroup={choose} />
        <NativeSelect
          size="xs"
          label="Colour by"
          value={measure}
          onChange={({ currentTarget: { value } }) => isTokenMeasure(value) && setMeasure(value)}
          data={Object.entries(TOKEN_MEASURES).map(([value, label]) => ({ value, label }))}
        />
      </div>
      {(problem ?? steps.problem) !== null && <p role="alert">{problem ?? steps.problem}</p>}
      <div className={classes.panes}>
        <AnswerList answers={answers} place={place} onPlace={choose} />
        <div className={classes.tokenPane}>
          <ModelPrompt ids={answer.promptIds} />
          <GroupTokens
            answers={answers}
            places={places}
            cursor={{ ...cursor, place, token }}
            measure={measure}
            onCursor={setCursor}
          />
          <TokenDetail answer={answer} token={token} step={step} terms={terms.get(place) ?? null} />
        </div>
      </div>
    </div>
  );
}

export function InspectorPanel(): ReactNode {
  const frame = useRef<HTMLDivElement>(null);
  return (
    <div ref={frame}>
      <Inspector frame={frame} />
    </div>
  );
}
