import { choice } from './fields.ts';
import { ANSWER_TAG, extractAnswer } from './extractAnswer.ts';
import type { Reward } from './types.ts';

/** `tag_required`: +1 needs the right number and the literal tag (the Monarch code). `correct_only`: its README. */
export type RewardRule = 'tag_required' | 'correct_only';

export const REWARD_RULE_FIELD = choice<RewardRule>(
  'Reward',
  'What earns +1; everything else earns −1. The format is the literal [ANSWER] before the number.',
  { tag_required: 'Right number and [ANSWER] tag', correct_only: 'Right number, tag or not' },
  'tag_required',
);

/** What a right answer loses when `tag_required` finds no tag: it turns +1 into −1. */
const MISSING_TAG = -2;

/**
 * Scores a text with +1 or −1. `correct` = the extracted integer equals the truth; `format` = the literal
 * `[ANSWER]` occurs anywhere. `correct_only` pays for `correct`; `tag_required` also wants `format`.
 * Parts sum to the total: `correct` is ±1, and `format` is −2 where only the missing tag spoils a right answer,
 * else 0. Neither the stop reason nor the length matters: a cut completion is scored like any other.
 */
export function scoreDigits(truth: string, text: string, rule: RewardRule): Reward {
  const { value, matchedBy } = extractAnswer(text);
  const correct = value === truth;
  const format = text.includes(ANSWER_TAG);
  const parts: Readonly<Record<string, number>> =
    rule === 'correct_only'
      ? { correct: correct ? 1 : -1 }
      : { correct: correct ? 1 : -1, format: correct && !format ? MISSING_TAG : 0 };
  const total = Object.values(parts).reduce((sum, part) => sum + part, 0);
  return { total, parts, correct, format, extracted: value, matchedBy };
}
