/** The lessons, with a teacher's words over them where the link has some. */
import { useCallback, useState, type ReactNode } from 'react';
import { Fold } from '../../ui/parts/Fold.tsx';
import { lazyPart } from '../../ui/draw/lazyPart.tsx';
import { useForm } from '../../run/form/formStore.ts';
import classes from './lessons.module.css';
import { ASKED, type ChangeLesson, type LessonState } from './content/lesson.ts';

const LessonsPanel = lazyPart(async () => (await import('./LessonsPanel.tsx')).LessonsPanel);

export function LessonsPart(): ReactNode {
  const linked = useForm(({ classroom }) => classroom.lesson ?? null);
  const note = useForm(({ classroom }) => classroom.note);
  const [unfolded, setUnfolded] = useState(true);
  const [state, setState] = useState<LessonState>({ ...ASKED, open: linked });
  const change = useCallback<ChangeLesson>((changes) => setState((now) => ({ ...now, ...changes })), []);
  return (
    <section className="panel" aria-label="Lessons" data-testid="lessons">
      <Fold
        title="Five-minute lessons"
        note="predict, run, find out"
        heading
        open={unfolded}
        onOpen={setUnfolded}
      >
        {note !== undefined && (
          <section
            className={`sunken ${classes.note}`}
            aria-label="From your teacher"
            data-testid="class-note"
          >
            {note}
          </section>
        )}
        <LessonsPanel state={state} change={change} lessonFirst={linked !== null} />
      </Fold>
    </section>
  );
}
