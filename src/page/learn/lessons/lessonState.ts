/** Which lesson is open, what was predicted, and the runs that it has made. */
import type { LessonId } from '../../run/address/classroom.ts';
import type { ArmRecord } from './content/lesson.ts';

/** `interrupted`: a run was paused, stopped or failed, so that there is nothing to hold against the prediction. */
type LessonPhase = 'asking' | 'running' | 'interrupted' | 'done';

export interface LessonState {
  /** Null: none is chosen. */
  readonly open: LessonId | null;
  /** The chosen answer. */
  readonly prediction: string | null;
  readonly phase: LessonPhase;
  /** Those of the arms so far; the last one grows while it runs. */
  readonly records: readonly ArmRecord[];
  /** What all runs took. */
  readonly seconds: number;
}

/** Its question, without a prediction. */
export const ASKED = { prediction: null, phase: 'asking', records: [], seconds: 0 } as const;

export type ChangeLesson = (changes: Partial<LessonState>) => void;

/** What each part of a lesson is drawn from. */
export interface LessonProps {
  readonly state: LessonState;
  readonly change: ChangeLesson;
}

/** The address of a page with an open lesson opens it again. */
export function writeLesson(lesson: LessonId | null): void {
  const { pathname, search, hash } = window.location;
  const query = new URLSearchParams(search);
  if (lesson === null) query.delete('lesson');
  else query.set('lesson', lesson);
  const text = query.toString();
  window.history.replaceState(null, '', `${pathname}${text === '' ? '' : `?${text}`}${hash}`);
}
