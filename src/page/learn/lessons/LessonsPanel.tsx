/** The list of lessons, and the open one: a question, runs that decide it, and the result. */
import type { ReactNode } from 'react';
import { LESSON_IDS, LESSON_TITLES, type LessonId } from '../../run/address/classroom.ts';
import { LESSONS } from './content/lessons.ts';
import boxes from '../../ui/style/boxes.module.css';
import tables from '../../ui/style/table.module.css';
import classes from './lessons.module.css';
import { clock } from '../../ui/text/format.ts';
import { plural } from '@rl-playground/base/text';
import { ActionButton, ChoiceCard } from '../../ui/parts/buttons.tsx';
import { Columns } from '../../ui/parts/words.tsx';
import { Glossed } from '../../ui/parts/Glossed.tsx';
import { useRun } from '../../run/state/runStore.ts';
import {
  armConfig,
  ASKED,
  verdictText,
  type ArmRecord,
  type Lesson,
  type LessonProps,
} from './content/lesson.ts';
import { alarmLines } from './content/measure.ts';
import { LessonChartView } from './LessonChartView.tsx';
import { lessonProblem, runLesson } from './runLesson.ts';

const DOCUMENTS = `${import.meta.env.SOURCE_ADDRESS}/tree/main/docs`;

function Paragraphs({ texts }: { readonly texts: readonly string[] }): ReactNode {
  return texts.map((text) => (
    <p key={text}>
      <Glossed text={text} />
    </p>
  ));
}

interface LessonViewProps extends LessonProps {
  readonly lesson: Lesson;
}

function Prediction({ lesson, state, change }: LessonViewProps): ReactNode {
  const { question, choices, id } = lesson;
  const { prediction, phase } = state;
  return (
    <fieldset className={boxes.group} disabled={phase !== 'asking'}>
      <legend>{question}</legend>
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
              ? 'Make your prediction first.'
              : replaces
                ? `The ${lesson.arms.length > 1 ? 'runs replace' : 'run replaces'} the one on the page. Your settings do not change.`
                : 'Your settings do not change.'))}
      </span>
    </div>
  );
}

interface RevealProps {
  readonly lesson: Lesson;
  readonly records: readonly ArmRecord[];
  readonly prediction: string;
  readonly seconds: number;
}

/** The result of the runs beside the prediction, with the reason. */
function Reveal({ lesson, records, prediction, seconds }: RevealProps): ReactNode {
  const { outcome, rows, said } = lesson.find(records);
  const several = lesson.arms.length > 1;
  return (
    <section className="sunken stack wide" aria-label="What the runs showed" data-testid="lesson-reveal">
      <p
        role="status"
        className={outcome === prediction ? 'good' : undefined}
        data-testid="lesson-verdict"
        data-outcome={outcome ?? 'none'}
      >
        <b>{verdictText(lesson, prediction, outcome)}</b>
      </p>
      <table className={tables.table}>
        <caption className="visually-hidden">What was measured</caption>
        {several && <Columns names={['Measured', ...lesson.arms.map(({ name }) => name)]} />}
        <tbody>
          {rows.map(({ what, values }, i) => (
            <tr key={i}>
              <th scope="row">{what}</th>
              {values.map((value, arm) => (
                <td key={arm} className="number">
                  {value}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <Paragraphs texts={[...said, ...alarmLines(lesson, records)]} />
      <h4 className="panel-title">Why</h4>
      <Paragraphs texts={lesson.why} />
      <a className="link" href={`${DOCUMENTS}/${lesson.document}`} target="_blank" rel="noreferrer">
        Read more: docs/{lesson.document}
      </a>
      <p className="quiet">
        Trained on this machine in {clock(seconds)}, seed 0. {several ? 'The runs are' : 'The run is'} under
        Runs, by the lesson’s name.
      </p>
    </section>
  );
}

function LessonView(props: LessonViewProps): ReactNode {
  const { lesson, state } = props;
  const { phase, records, prediction, seconds } = state;
  return (
    <article
      className={`stack wide ${classes.lesson}`}
      aria-label={LESSON_TITLES[lesson.id]}
      data-testid="lesson"
    >
      <h3 className="panel-title">{LESSON_TITLES[lesson.id]}</h3>
      <Paragraphs texts={lesson.before} />
      <Prediction {...props} />
      <Controls {...props} />
      {records.length > 0 && (
        <div className={`${boxes.cards} ${boxes.wide}`}>
          {lesson.charts.map((chart) => (
            <LessonChartView key={chart.title} chart={chart} lesson={lesson} records={records} />
          ))}
        </div>
      )}
      {phase === 'done' && prediction !== null && (
        <Reveal lesson={lesson} records={records} prediction={prediction} seconds={seconds} />
      )}
    </article>
  );
}

/** Names the open lesson in the page's address, so that a reload opens it again. */
function writeLesson(lesson: LessonId | null): void {
  const { pathname, search, hash } = window.location;
  const query = new URLSearchParams(search);
  if (lesson === null) query.delete('lesson');
  else query.set('lesson', lesson);
  const text = query.toString();
  window.history.replaceState(null, '', `${pathname}${text === '' ? '' : `?${text}`}${hash}`);
}

interface LessonsPanelProps extends LessonProps {
  /** The open lesson comes before the list of lessons if a link named one. */
  readonly lessonFirst: boolean;
}

export function LessonsPanel({ state, change, lessonFirst }: LessonsPanelProps): ReactNode {
  const { open, phase } = state;
  const running = phase === 'running';
  const choose = (lesson: LessonId | null): void => {
    if (running) return;
    change({ ...ASKED, open: lesson });
    writeLesson(lesson);
  };
  const lesson = open !== null && (
    <LessonView key={open} lesson={LESSONS[open]} state={state} change={change} />
  );
  return (
    <div className="stack wide">
      {lessonFirst && lesson}
      <div className={boxes.cards}>
        {LESSON_IDS.map((id) => (
          <ChoiceCard
            key={id}
            title={LESSON_TITLES[id]}
            aria-pressed={open === id}
            // The lesson can't change while its run is working.
            aria-disabled={running && open !== id}
            onClick={() => choose(open === id ? null : id)}
          />
        ))}
      </div>
      {!lessonFirst && lesson}
    </div>
  );
}
