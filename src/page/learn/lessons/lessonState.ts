/** The state of the open lesson. */
import type { LessonId } from '../../run/address/classroom.ts';
import type { ArmRecord } from './content/lesson.ts';

/** A lesson is `interrupted` if a run was paused, stopped or failed, so that there is no result to compare with the prediction. */
type LessonPhase = 'asking' | 'running' | 'interrupted' | 'done';

export interface LessonState {
  readonly open: LessonId | null;
  readonly prediction: string | null;
  readonly phase: LessonPhase;
  /** The runs so far. The last one grows while it trains. */
  readonly records: readonly ArmRecord[];
  /** The time of all runs together. */
  readonly seconds: number;
}

export const ASKED = { prediction: null, phase: 'asking', records: [], seconds: 0 } as const;

export type ChangeLesson = (changes: Partial<LessonState>) => void;

export interface LessonProps {
  readonly state: LessonState;
  readonly change: ChangeLesson;
}

/** Names the open lesson in the page's address, so that a reload opens it again. */
export function writeLesson(lesson: LessonId | null): void {
  const { pathname, search, hash } = window.location;
  const query = new URLSearchParams(search);
  if (lesson === null) query.delete('lesson');
  else query.set('lesson', lesson);
  const text = query.toString();
  window.history.replaceState(null, '', `${pathname}${text === '' ? '' : `?${text}`}${hash}`);
}
