/** How a task's own program is run: by whom is decided outside, since it takes a sandbox to do it safely. */
import type { Reward, ScoredItem } from '../types.ts';

/**
 * Runs `source`'s `score(problem, completion)` on every item, in order. A throw, a hang or a result of the wrong form is a reward of 0
 * with `error`, never a rejection.
 */
export type ScoreProgram = (source: string, items: readonly ScoredItem[]) => Promise<Reward[]>;
