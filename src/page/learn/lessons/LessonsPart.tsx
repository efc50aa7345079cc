/** The fold of the lessons, which opens by itself if the link names a lesson. */
import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import { Fold } from '../../ui/parts/Fold.tsx';
import { lazyPart } from '../../ui/draw/lazyPart.tsx';
import { useForm } from '../../run/form/formStore.ts';
import { ASKED, type ChangeLesson, type LessonState } from './content/lesson.ts';

const LessonsPanel = lazyPart(async () => (await import('./LessonsPanel.tsx')).LessonsPanel);

export function LessonsPart(): ReactNode {
  const linked = useForm(({ classroom }) => classroom.lesson ?? null);
  const [unfolded, setUnfolded] = useState(true);
  const [state, setState] = useState<LessonState>({ ...ASKED, open: linked });
  const change = useCallback<ChangeLesson>((changes) => setState((now) => ({ ...now, ...changes })), []);
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    // A link that names a lesson opens the page there.
    if (linked !== null) place.current?.scrollIntoView({ block: 'start' });
  }, [linked]);
  return (
    <section ref={place} className="panel" aria-label="Lessons" data-testid="lessons">
      <Fold
        title="Lessons of five minutes"
        note="predict what a run will show, run it, see"
        heading
        open={unfolded}
        onOpen={setUnfolded}
      >
        <LessonsPanel state={state} change={change} />
      </Fold>
    </section>
  );
}
