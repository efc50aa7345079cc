/** One lesson from its question to what its runs showed. */
import type { ReactNode } from 'react';
import { plural } from '@rl-playground/base/text';
import { useApp } from '../../run/state/store.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { InfoMark } from '../../ui/parts/InfoMark.tsx';
import { meaningOf } from './glossary.ts';
import { LESSON_TITLES } from '../../run/address/lessonIds.ts';
import { armConfig, type Lesson } from './content/lesson.ts';
import { LessonChartView } from './LessonChartView.tsx';
import { askAgain, predict, useLessons } from './lessonStore.ts';
import { Reveal } from './Reveal.tsx';
import { lessonProblem, runLesson } from './runLesson.ts';
import { Glossed } from '../../ui/parts/Glossed.tsx';
import classes from './lessons.module.css';

function Prediction({ lesson: { question, choices, id } }: { readonly lesson: Lesson }): ReactNode {
  const prediction = useLessons((state) => state.prediction);
  const asking = useLessons((state) => state.phase === 'asking');
  return (
    <fieldset className={classes.choices} disabled={!asking}>
      <legend className={classes.question}>{question}</legend>
      {choices.map((choice) => (
        <label key={choice.id} className={classes.choice}>
          <input
            type="radio"
            name={`lesson-${id}`}
            checked={prediction === choice.id}
            onChange={() => predict(choice.id)}
          />
          {choice.text}
        </label>
      ))}
    </fieldset>
  );
}

/** Which run is being made, and how far it is. */
function Progress({ lesson }: { readonly lesson: Lesson }): ReactNode {
  const made = useLessons((state) => state.records.length);
  const step = useApp((state) => state.snapshot.step);
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

function Controls({ lesson }: { readonly lesson: Lesson }): ReactNode {
  const { phase, prediction } = useLessons();
  const problem = useApp((state) => lessonProblem(state.snapshot));
  const replaces = useApp((state) => state.snapshot.metrics.length > 0);
  if (phase === 'running') return <Progress lesson={lesson} />;
  if (phase === 'done')
    return (
      <div className={classes.controls}>
        <ActionButton usable variant="default" onClick={askAgain}>
          Ask again
        </ActionButton>
      </div>
    );
  const runs = plural(lesson.arms.length, 'run');
  return (
    <div className={classes.controls}>
      <ActionButton
        usable={prediction !== null && problem === null}
        data-testid="lesson-run"
        onClick={() => void runLesson(lesson)}
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

export function LessonView({ lesson }: { readonly lesson: Lesson }): ReactNode {
  const { phase, records, prediction, seconds } = useLessons();
  return (
    <article className={classes.lesson} aria-label={LESSON_TITLES[lesson.id]} data-testid="lesson">
      {lesson.before.map((text) => (
        <p key={text}>
          <Glossed text={text} />
        </p>
      ))}
      <Prediction lesson={lesson} />
      <Controls lesson={lesson} />
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
