import { uniformInt, type Draw } from '@rl-playground/base/random';
import type { RunConfig } from '../settings/schema/schema.ts';

/**
 * A curriculum by success rate, after reasoning-gym's training scripts: when the share of right answers among a task's newest ones
 * reaches `curriculumRaise`, its next level begins; below `curriculumLower`, the one before returns. There one update moves the upper bound
 * of every attribute; here a task's file says what each of its levels is.
 */
type CurriculumRules = Pick<
  RunConfig,
  'curriculumRaise' | 'curriculumLower' | 'curriculumWindow' | 'curriculumEvery'
>;

/** The difficulty that one task has reached. */
export interface LevelState {
  readonly level: number;
  /** The answers at this level, the newest last: true if right. There are at most `curriculumWindow`. */
  readonly recent: readonly boolean[];
}

/** The levels before any answer: `start`, 1 the easiest, or a task's last level. */
export function firstLevels(levelCounts: readonly number[], start: number): LevelState[] {
  return levelCounts.map((levels) => ({ level: Math.min(start, levels) - 1, recent: [] }));
}

/**
 * The level at which a problem is asked: the current one or, with probability `review`, one of the easier ones, each as likely, so that what
 * was learned is not forgotten.
 */
export function askedLevel(current: number, review: number, draw: Draw): number {
  if (current === 0 || review === 0 || draw() >= review) return current;
  return uniformInt(draw, 0, current - 1);
}

/** The state after a step's answers at its level; levels change only at steps divisible by `curriculumEvery`, and only on a full window. */
export function advanced(
  state: LevelState,
  answers: readonly boolean[],
  step: number,
  levels: number,
  { curriculumRaise, curriculumLower, curriculumWindow: window, curriculumEvery: every }: CurriculumRules,
): LevelState {
  const recent = [...state.recent, ...answers].slice(-window);
  if (step % every !== 0 || recent.length < window) return { level: state.level, recent };
  const success = recent.filter(Boolean).length / recent.length;
  if (success >= curriculumRaise && state.level + 1 < levels) return { level: state.level + 1, recent: [] };
  if (success < curriculumLower && state.level > 0) return { level: state.level - 1, recent: [] };
  return { level: state.level, recent };
}
