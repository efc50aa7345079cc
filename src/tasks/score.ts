import { ANSWER_TAG, extractAnswer } from './extractAnswer.ts';
import type { Completion, Problem, Reward, RewardRule } from './types.ts';

/** What a right answer loses when `tag_required` finds no tag: it turns +1 into −1. */
const MISSING_TAG = -2;

/**
 * Scores a completion with +1 or −1. `correct` = the extracted integer equals the truth; `format` = the literal
 * `[ANSWER]` occurs anywhere. `correct_only` pays for `correct`; `tag_required` also wants `format`.
 * Parts sum to the total: `correct` is ±1, and `format` is −2 where only the missing tag spoils a right answer,
 * else 0. Neither the stop reason nor the length matters: a cut completion is scored like any other.
 */
export function scoreCompletion(problem: Problem, completion: Completion, rule: RewardRule): Reward {
  const { value, matchedBy } = extractAnswer(completion.text);
  const correct = value === problem.answer;
  const format = completion.text.includes(ANSWER_TAG);
  const parts: Readonly<Record<string, number>> =
    rule === 'correct_only'
      ? { correct: correct ? 1 : -1 }
      : { correct: correct ? 1 : -1, format: correct && !format ? MISSING_TAG : 0 };
  const total = Object.values(parts).reduce((sum, part) => sum + part, 0);
  return { total, parts, correct, format, extracted: value, matchedBy };
}
