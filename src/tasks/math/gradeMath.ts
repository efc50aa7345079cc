/** The Tinker cookbook's reward for a mathematical answer. */
import { extractBoxed } from './boxed.ts';
import { gradeAnswer } from './gradeAnswer.ts';
import type { Reward } from '../types.ts';

export interface MathReward {
  /** Whether the completion came to an end of its own. */
  readonly ended: boolean;
  /** What a completion in the wrong form loses. */
  readonly formatWeight: number;
}

/**
 * `1[correct] + formatWeight · (1[format] − 1)`: the format is a box that can be read in a completion that ended; a right answer
 * counts without it.
 */
export function gradeMath(text: string, gold: string, { ended, formatWeight }: MathReward): Reward {
  const extracted = extractBoxed(text);
  const correct = gradeAnswer(extracted, gold) !== null;
  const format = extracted !== null && ended;
  const parts = { correct: correct ? 1 : 0, format: format ? 0 : -formatWeight };
  return { total: parts.correct + parts.format, parts, correct, format, extracted };
}
