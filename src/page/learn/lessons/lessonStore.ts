/** Which lesson is open, what was predicted, and the runs that it has made. */
import { create } from 'zustand';
import { readAddress } from '../../run/address/address.ts';
import type { LessonId } from '../../run/address/lessonIds.ts';
import type { ArmRecord } from './content/lesson.ts';

/** `interrupted`: a run was paused, stopped or failed, so that there is nothing to hold against the prediction. */
export type LessonPhase = 'asking' | 'running' | 'interrupted' | 'done';

export interface LessonState {
  /** Whether the list of lessons is unfolded. */
  readonly unfolded: boolean;
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

const FRESH = { prediction: null, phase: 'asking', records: [], seconds: 0 } as const;

export const useLessons = create<LessonState>(() => {
  const lesson = readAddress(window.location.search).classroom.lesson ?? null;
  return { ...FRESH, unfolded: lesson !== null, open: lesson };
});

/** The address of a page with an open lesson opens it again. */
function writeLesson(lesson: LessonId | null): void {
  const { pathname, search, hash } = window.location;
  const query = new URLSearchParams(search);
  if (lesson === null) query.delete('lesson');
  else query.set('lesson', lesson);
  const text = query.toString();
  window.history.replaceState(null, '', `${pathname}${text === '' ? '' : `?${text}`}${hash}`);
}

/** Opens a lesson from its question on, or none. Does nothing while one runs. */
export function openLesson(lesson: LessonId | null): void {
  if (useLessons.getState().phase === 'running') return;
  useLessons.setState({ ...FRESH, open: lesson });
  writeLesson(lesson);
}

export function predict(prediction: string): void {
  useLessons.setState({ prediction });
}

/** Its question again, without a prediction. */
export function askAgain(): void {
  useLessons.setState(FRESH);
}
