/** The lessons to choose from, and the one that is open. */
import type { ReactNode } from 'react';
import { LESSON_IDS, LESSON_TITLES } from '../../run/address/lessonIds.ts';
import { LessonView } from './LessonView.tsx';
import { LESSONS } from './content/lessons.ts';
import { openLesson, useLessons } from './lessonStore.ts';
import classes from './lessons.module.css';

export function LessonsPanel(): ReactNode {
  const open = useLessons((state) => state.open);
  const running = useLessons((state) => state.phase === 'running');
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
            onClick={() => openLesson(open === id ? null : id)}
          >
            {LESSON_TITLES[id]}
          </button>
        ))}
      </div>
      {open !== null && <LessonView key={open} lesson={LESSONS[open]} />}
    </div>
  );
}
