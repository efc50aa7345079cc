/** The lessons to choose from, and the one that is open. */
import type { ReactNode } from 'react';
import { LESSON_IDS, LESSON_TITLES, type LessonId } from '../../run/address/classroom.ts';
import { LESSONS } from './content/lessons.ts';
import { ASKED, writeLesson, type LessonProps } from './lessonState.ts';
import classes from './lessons.module.css';
import { plural } from '@rl-playground/base/text';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { InfoMark } from '../../ui/parts/InfoMark.tsx';
import { Glossed } from '../../ui/parts/Glossed.tsx';
import { useRun } from '../../run/state/runStore.ts';
import { meaningOf } from './glossary.ts';
import { armConfig, type Lesson } from './content/lesson.ts';
import { LessonChartView } from './LessonChartView.tsx';
import { Reveal } from './Reveal.tsx';
import { lessonProblem, runLesson } from './runLesson.ts';

interface LessonViewProps extends LessonProps {
  readonly lesson: Lesson;
}

function Prediction({ lesson, state, change }: LessonViewProps): ReactNode {
  const { question, choices, id } = lesson;
  const { prediction, phase } = state;
  return (
    <fieldset className={classes.choices} disabled={phase !== 'asking'}>
      <legend className={classes.question}>{question}</legend>
      {choices.map((choice) => (
        <label key={choice.id} className={classes.choice}>
          <input
            type="radio"
            name={`lesson-${id}`}
            checked={prediction === choice.id}
            onChange={() => change({ prediction: choice.id })}
          />
          {choice.text}
        </label>
      ))}
    </fieldset>
  );
}

/** Which run is being made, and how far it is. */
function Progress({ lesson, made }: { readonly lesson: Lesson; readonly made: number }): ReactNode {
  const step = useRun((state) => state.snapshot.step);
  const index = Math.max(0, made - 1);
  const arm = lesson.arms[index];
  if (arm === undefined) return null;
  const { numSteps } = armConfig(lesson, arm);
  const which = lesson.arms.length > 1 ? `Run ${index + 1} of ${lesson.arms.length}, ${arm.name}: ` : '';
  return (
    <p data-testid="lesson-progress">
      {which}step {Math.min(step, numSteps)} of {numSteps}. The charts of the page show the same run.
    </p>
  );
}

function Controls({ lesson, state, change }: LessonViewProps): ReactNode {
  const { phase, prediction, records } = state;
  const problem = useRun((state) => lessonProblem(state.snapshot));
  const replaces = useRun((state) => state.snapshot.metrics.length > 0);
  if (phase === 'running') return <Progress lesson={lesson} made={records.length} />;
  if (phase === 'done')
    return (
      <div className="row">
        <ActionButton usable variant="default" onClick={() => change(ASKED)}>
          Ask again
        </ActionButton>
      </div>
    );
  const runs = plural(lesson.arms.length, 'run');
  return (
    <div className="row">
      <ActionButton
        usable={prediction !== null && problem === null}
        data-testid="lesson-run"
        onClick={() => void runLesson(lesson, change)}
      >
        {phase === 'interrupted' ? 'Run again' : `Run it: ${runs}`}
      </ActionButton>
      <span className="quiet" role="status">
        {phase === 'interrupted'
          ? 'A run did not reach its end, so there is nothing to compare with the prediction yet.'
          : (problem ??
            (prediction === null
              ? 'Choose an answer first.'
              : replaces
                ? `The ${lesson.arms.length > 1 ? 'runs take' : 'run takes'} the place of the one on the page. Your settings stay.`
                : 'Your settings stay as they are.'))}
      </span>
    </div>
  );
}

function More({ lesson: { more } }: { readonly lesson: Lesson }): ReactNode {
  return (
    <p className={classes.more}>
      Words:{' '}
      {more.words.map((word) => (
        <span key={word} className={classes.word}>
          {word}
          <InfoMark label={`${word}: ${meaningOf(word) ?? ''}`} width={300}>
            {meaningOf(word)}
          </InfoMark>
        </span>
      ))}{' '}
      Formulas: {more.pages.join(', ')} in the repository.
    </p>
  );
}

function LessonView(props: LessonViewProps): ReactNode {
  const { lesson, state } = props;
  const { phase, records, prediction, seconds } = state;
  return (
    <article className={classes.lesson} aria-label={LESSON_TITLES[lesson.id]} data-testid="lesson">
      {lesson.before.map((text) => (
        <p key={text}>
          <Glossed text={text} />
        </p>
      ))}
      <Prediction {...props} />
      <Controls {...props} />
      {records.length > 0 && (
        <div className={classes.charts}>
          {lesson.charts.map((chart) => (
            <LessonChartView key={chart.title} chart={chart} lesson={lesson} records={records} />
          ))}
        </div>
      )}
      {phase === 'done' && prediction !== null && (
        <Reveal lesson={lesson} records={records} prediction={prediction} seconds={seconds} />
      )}
      <More lesson={lesson} />
    </article>
  );
}

export function LessonsPanel({ state, change }: LessonProps): ReactNode {
  const { open, phase } = state;
  const running = phase === 'running';
  const choose = (lesson: LessonId | null): void => {
    if (running) return;
    change({ ...ASKED, open: lesson });
    writeLesson(lesson);
  };
  return (
    <div className={classes.panel}>
      <div className={classes.list}>
        {LESSON_IDS.map((id) => (
          <button
            key={id}
            type="button"
            className={classes.card}
            aria-pressed={open === id}
            // A run that is under way keeps its lesson.
            aria-disabled={running && open !== id}
            onClick={() => choose(open === id ? null : id)}
          >
            {LESSON_TITLES[id]}
          </button>
        ))}
      </div>
      {open !== null && <LessonView key={open} lesson={LESSONS[open]} state={state} change={change} />}
    </div>
  );
}
