/** One held-out problem, whose greedy answer is followed through the run from wrong to right. */
import { useEffect, useMemo, type ReactNode } from 'react';
import { plural } from '@rl-playground/base/text';
import { evaluationMix, heldOutProblems, type EvalResult, type EvalSample } from '@rl-playground/run/loop';
import type { RunConfig } from '@rl-playground/run/settings';
import type { WatchedAnswer } from '@rl-playground/run/session';
import { useShownConfig } from '../../run/form/useField.ts';
import { useRun } from '../../run/state/runStore.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { CompletionText } from '../../ui/parts/CompletionText.tsx';
import { RightOrWrong } from '../../ui/parts/words.tsx';
import { Asked } from '../rollouts/ProblemCard.tsx';
import { judgedPart } from './tellingAnswers.ts';
import classes from './stage.module.css';

/** The answers that are listed: the first one, which shows where the model began, and the latest. */
const LATEST = 4;

interface WatchedRowProps extends Omit<WatchedAnswer, 'sample'> {
  readonly sample: Pick<EvalSample, 'text' | 'extracted' | 'correct'>;
}

/** An answer, and the steps at which the model gave it. */
export function WatchedRow({ from, to, sample }: WatchedRowProps): ReactNode {
  return (
    <li className={classes.watched} data-correct={sample.correct}>
      <span className="quiet number">{from === to ? from : `${from}–${to}`}</span>
      <div className={classes.said}>
        <CompletionText text={judgedPart(sample.text, sample.extracted)} />
      </div>
      <RightOrWrong right={sample.correct} />
    </li>
  );
}

/** The question and the right answer of a place in the evaluations; null where the tasks can't be drawn from. */
function problemAt(config: RunConfig, place: number): { question: string; answer: string } | null {
  try {
    const { problem } = heldOutProblems(evaluationMix(config), config.evalSamples)[place] ?? {};
    return problem ? { question: problem.compact, answer: problem.answer } : null;
  } catch {
    return null;
  }
}

/** The first problem that the model gets wrong before training, which is the most telling one. */
const firstWrong = ({ samples }: EvalResult): number =>
  Math.max(
    0,
    samples.findIndex(({ correct, greedy }) => !(greedy ?? { correct }).correct),
  );

/** Chooses a problem for a bundled model, whose answers take no time worth mentioning. */
function useChosenPlace(): number | null {
  const watch = useRun((state) => state.watch);
  const place = useRun((state) => state.watched?.place ?? null);
  const isOurs = useRun(({ snapshot }) => snapshot.modelIsOurs);
  const first = useRun(({ snapshot }) => snapshot.evaluations[0]);
  useEffect(() => {
    if (isOurs && place === null && first !== undefined) watch?.follow(firstWrong(first));
  }, [watch, isOurs, place, first]);
  return place;
}

/** Draws the answers to one problem and, before there are any, `idle`. */
export function WatchCard({ idle }: { readonly idle: ReactNode }): ReactNode {
  const place = useChosenPlace();
  const watch = useRun((state) => state.watch);
  const watched = useRun((state) => state.watched);
  const config = useShownConfig();
  const asked = useMemo(() => problemAt(config, place ?? 0), [config, place]);
  const answers = watched?.answers ?? [];
  const [first] = answers;
  const latest = answers.slice(1).slice(-LATEST);
  const left = answers.length - 1 - latest.length;
  return (
    <figure
      className={`panel padded stack close ${classes.answers}`}
      data-testid="watch"
      aria-label="One problem"
    >
      <figcaption className="row apart">
        <span>
          <span className="panel-title">One problem</span>{' '}
          <span className="quiet">held-out, its greedy answer by step</span>
        </span>
        <ActionButton
          size="compact-xs"
          usable={watch !== null}
          onClick={() => watch?.follow(place === null ? 0 : (place + 1) % config.evalSamples)}
        >
          {place === null ? 'Watch' : 'Another'}
        </ActionButton>
      </figcaption>
      {asked !== null && (
        <p className="note">
          <Asked {...asked} />
        </p>
      )}
      {watched?.problem && <p className="note bad">{watched.problem}</p>}
      {first === undefined ? (
        (idle ?? (
          <p className="quiet">
            {place === null
              ? 'Watch the model’s greedy answer to this held-out problem go from wrong to right.'
              : 'The first answer appears after the next step.'}
          </p>
        ))
      ) : (
        <ol className="plain" aria-label="Its answers, by step">
          <WatchedRow {...first} />
          {left > 0 && <li className="quiet">… {plural(left, 'answer')} between</li>}
          {latest.map((answer) => (
            <WatchedRow key={answer.from} {...answer} />
          ))}
        </ol>
      )}
    </figure>
  );
}
