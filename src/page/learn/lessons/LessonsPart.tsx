/** The lessons' place on the page: folded until somebody opens it, or a link names a lesson. */
import { useEffect, useRef, type ReactNode } from 'react';
import { Fold } from '../../ui/parts/Fold.tsx';
import { lazyPart } from '../../ui/draw/lazyPart.tsx';
import { useLessons } from './lessonStore.ts';
import classes from './lessons.module.css';

const LessonsPanel = lazyPart(async () => (await import('./LessonsPanel.tsx')).LessonsPanel);

export function LessonsPart(): ReactNode {
  const unfolded = useLessons((state) => state.unfolded);
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    // Where a link names a lesson, the page opens there.
    if (useLessons.getState().open !== null) place.current?.scrollIntoView({ block: 'start' });
  }, []);
  return (
    <section ref={place} className={`panel ${classes.place}`} aria-label="Lessons" data-testid="lessons">
      <Fold
        title="Lessons of five minutes"
        note="predict what a run will show, run it, see"
        open={unfolded}
        onOpen={(open) => useLessons.setState({ unfolded: open })}
      >
        <LessonsPanel />
      </Fold>
    </section>
  );
}
