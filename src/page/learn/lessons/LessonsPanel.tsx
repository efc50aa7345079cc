/** The lessons to choose from, and the one that is open. */
import type { ReactNode } from 'react';
import { LESSON_IDS, LESSON_TITLES, type LessonId } from '../../run/address/lessonIds.ts';
import { LessonView } from './LessonView.tsx';
import { LESSONS } from './content/lessons.ts';
import { ASKED, writeLesson, type LessonProps } from './lessonState.ts';
import classes from './lessons.module.css';

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
