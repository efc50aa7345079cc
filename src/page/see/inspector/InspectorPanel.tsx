/** The token inspector: a step of the run, one of its answers, and the other answers to the same problem, token by token. */
import { Group, NativeSelect } from '@mantine/core';
import { useId, useMemo, useState, type ReactNode } from 'react';
import { ModelPrompt } from '../rollouts/ModelPrompt.tsx';
import { Choice } from '../../ui/parts/Choice.tsx';
import { useTerms } from '../rollouts/useTerms.ts';
import { Fold } from '../../ui/parts/Fold.tsx';
import { TOKEN_MEASURES, type TokenMeasure } from '../rollouts/tokenMeasures.ts';
import { useRun } from '../../run/state/runStore.ts';
import { AnswerList } from './AnswerList.tsx';
import { firstThatTeaches, groupsOf } from './answerList.ts';
import type { Cursor } from './cursor.ts';
import { GroupTokens } from './GroupTokens.tsx';
import { useKeptSteps, useStepAnswers } from './keptAnswers.ts';
import { TokenDetail } from './TokenDetail.tsx';
import classes from './inspector.module.css';
import { count } from '../../ui/text/format.ts';
import { lazyPart } from '../../ui/draw/lazyPart.tsx';

const UpdateTree = lazyPart(async () => (await import('../update/UpdateTree.tsx')).UpdateTree);
const ModelDrawing = lazyPart(async () => (await import('../model/ModelDrawing.tsx')).ModelDrawing);
const TwoLosses = lazyPart(async () => (await import('../losses/TwoLosses.tsx')).TwoLosses);

interface StepSliderProps {
  readonly steps: readonly number[];
  readonly step: number;
  /** True for the newest step, which the next one replaces. */
  readonly follows: boolean;
  /** Chooses a step, with null for the newest. */
  readonly onStep: (step: number | null) => void;
}

/** A slider over the kept steps. At its end it follows the run. */
function StepSlider({ steps, step, follows, onStep }: StepSliderProps): ReactNode {
  const id = useId();
  const last = steps.length - 1;
  const at = follows ? last : Math.max(0, steps.indexOf(step));
  return (
    <div className="stack close" style={{ flex: '1 1 220px' }}>
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
        ? 'This browser keeps no answers of this run. It was opened from a checkpoint, which has none, or another tab trains it. A run directory contains its answers.'
        : 'From the first step on, this part shows every kept answer token by token, with what each token adds to the loss.'}
    </p>
  );
}

const NO_ANSWERS = { step: null, answers: [] };

function Inspector(): ReactNode {
  /** Null follows the run. */
  const [wanted, setWanted] = useState<number | null>(null);
  /** The token that a person has chosen; null before that. */
  const [chosenAt, setCursor] = useState<Cursor | null>(null);
  const [measure, setMeasure] = useState<TokenMeasure>('advantage');
  const steps = useKeptSteps();
  const kept = steps.value ?? [];
  const newest = kept.at(-1) ?? null;
  const chosen = wanted !== null && kept.includes(wanted) ? wanted : newest;
  const { value, problem: unread } = useStepAnswers(chosen);
  const { step, answers } = value ?? NO_ANSWERS;
  const problem = unread ?? steps.problem;
  const groups = useMemo(() => groupsOf(answers), [answers]);
  const cursor = chosenAt ?? { place: firstThatTeaches(answers), token: 0 };
  const place = Math.min(cursor.place, answers.length - 1);
  const answer = answers[place];
  const places = useMemo(() => groups.get(answer?.group ?? -1) ?? [], [groups, answer?.group]);
  const group = useMemo(() => places.flatMap((each) => answers[each] ?? []), [answers, places]);
  const terms = useTerms(answers, group);
  const gradientOf = step === null ? null : { step, answers };
  if (answer === undefined || step === null) return <Empty problem={problem} />;
  const token = Math.max(0, Math.min(cursor.token, answer.tokens.length - 1));
  const choose = (to: number): void => setCursor({ place: to, token: 0 });
  return (
    <div className="stack wide">
      <Group align="end" gap="8px 16px">
        <StepSlider steps={kept} step={step} follows={chosen === newest} onStep={setWanted} />
        <NativeSelect
          label="Problem"
          flex="1 1 220px"
          value={String(answer.group)}
          onChange={({ currentTarget: { value } }) => choose(groups.get(Number(value))?.[0] ?? 0)}
          data={[...groups].map(([number, [first = 0]]) => ({
            value: String(number),
            label: `${number + 1}: ${answers[first]?.question ?? ''}`,
          }))}
        />
        <Choice label="Colour by" value={measure} words={TOKEN_MEASURES} onChoose={setMeasure} />
      </Group>
      {problem !== null && <p role="alert">{problem}</p>}
      <div className={classes.panes}>
        <AnswerList answers={answers} place={place} onPlace={choose} />
        <div className="stack">
          <ModelPrompt ids={answer.promptIds} />
          <GroupTokens
            answers={answers}
            places={places}
            cursor={{ ...cursor, place, token }}
            measure={measure}
            onCursor={setCursor}
          />
          <TokenDetail answer={answer} token={token} step={step} terms={terms.get(answer) ?? null} />
        </div>
      </div>
      <Fold title="What the update did" note="likely tokens before and after this step, as a tree">
        <UpdateTree
          group={group}
          answer={places.indexOf(place)}
          token={token}
          onAnswer={(to) => choose(places[to] ?? place)}
          onToken={(to) => setCursor({ place, token: to })}
        />
      </Fold>
      <Fold title="Two losses on this token" note="where they agree, where they differ, and why">
        <TwoLosses
          answers={answers}
          answer={answer}
          token={token}
          onToken={(to) => setCursor({ place, token: to })}
        />
      </Fold>
      <Fold
        title="The model, drawn"
        note="its layers, heads and adapters, and where the gradient of this step was large"
      >
        <ModelDrawing of={gradientOf} />
      </Fold>
    </div>
  );
}

/** Every kept answer token by token, folded. */
export function InspectorPanel(): ReactNode {
  return (
    <section className="panel" aria-label="Token inspector" data-testid="inspector">
      <Fold title="Token inspector" note="the answers of any step side by side, token by token">
        <Inspector />
      </Fold>
    </section>
  );
}
