/** Answers of the digit tasks: found by the rules of the Monarch digit experiment (PyTorch TorchTitan, 2026), paid, and demonstrated. */
import type { Draw } from '@rl-playground/base/random';
import { choice } from './define/fields.ts';
import { integerEnd, lastInteger, readInteger, skipSpace } from './python/text.ts';
import { judged, withFault } from './define/reason.ts';
import type { MatchedBy, Reward } from './define/types.ts';

/** The literal, case-sensitive tag that the prompts ask for; its presence alone is the format flag. */
export const ANSWER_TAG = '[ANSWER]';

export interface ExtractedAnswer {
  /** Canonical decimal integer of any length, or null. */
  readonly value: string | null;
  readonly matchedBy: MatchedBy;
}

const TAG = /\[ANSWER\]/g;
/*
 * Under IGNORECASE, Python folds ſ (U+017F) to s and İ (U+0130) and ı (U+0131) to i; JavaScript's i flag does not.
 * "the answer is" ends in "answer is", so the shorter phrase finds both.
 */
const PHRASE = /an[sſ]wer(?: [iİı][sſ]|:)/gi;
/** Passed over before ASCII that is no whitespace, hyphen or digit: a long line of `=` is read quickly so. */
const EQUALS = /=(?![!-,./:-~])/g;
const THE_ANSWER = /the an[sſ]wer/iy;

/** A number is followed by an optional full stop, whitespace, and then "The answer" or the end of the text. */
function concludes(text: string, end: number): boolean {
  const rest = skipSpace(text, text.charAt(end) === '.' ? end + 1 : end);
  THE_ANSWER.lastIndex = rest;
  return rest === text.length || THE_ANSWER.test(text);
}

/** The last integer behind an opener (whitespace between allowed) whose end `accepts` likes. */
function lastBehind(
  text: string,
  opener: RegExp,
  accepts: (end: number) => boolean = () => true,
): string | null {
  let last = -1;
  for (opener.lastIndex = 0; opener.test(text);) {
    const start = skipSpace(text, opener.lastIndex);
    const end = integerEnd(text, start);
    if (end > start && accepts(end)) last = start;
  }
  return last < 0 ? null : (readInteger(text, last)?.value ?? null);
}

/**
 * Reads the answer of a text. The first stage that matches wins, and in it the last match: `tag` is the tag and a number, `phrase` is
 * "answer is" or "answer:" and a number in any case, `equals` is "=" and a number that ends the text or precedes "The answer", and `last`
 * is the last number. Digits, whitespace and case are Python's. A hyphen before a digit is a minus sign, and a separator ends a number. The
 * time is linear in the length of the text.
 */
export function extractDigits(text: string): ExtractedAnswer {
  const tag = lastBehind(text, TAG);
  if (tag !== null) return { value: tag, matchedBy: 'tag' };
  const phrase = lastBehind(text, PHRASE);
  if (phrase !== null) return { value: phrase, matchedBy: 'phrase' };
  const equals = lastBehind(text, EQUALS, (end) => concludes(text, end));
  if (equals !== null) return { value: equals, matchedBy: 'equals' };
  const last = lastInteger(text);
  return last === null ? { value: null, matchedBy: 'none' } : { value: last, matchedBy: 'last' };
}

/**
 * The rule of payment. `tag_required` pays +1 for the right number with the literal tag, as the Monarch code does; `correct_only` follows
 * its README. The others are mistakes of real graders, for the zoo of failures: `keyword` pays for the tag alone, `length` for the length
 * of the text, and `other_form` for a right number without the tag.
 */
export type RewardRule = 'tag_required' | 'correct_only' | 'keyword' | 'length' | 'other_form';

export const REWARD_RULE_FIELD = choice<RewardRule>(
  'Reward',
  'What earns +1; everything else earns −1. The format is the literal [ANSWER] before the number. The last three are mistakes to learn from: the model is paid for something other than right answers.',
  {
    tag_required: 'Right number and [ANSWER] tag',
    correct_only: 'Right number, tag or not',
    keyword: 'Mistake: the tag, right number or not',
    length: 'Mistake: long answers, right or not',
    other_form: 'Mistake: right number, but without the tag',
  },
  'tag_required',
);

/** Characters that earn all of what `length` pays: three times what a worked answer to seven digits has. */
const PAID_LENGTH = 96;

const PLACES: Readonly<Record<MatchedBy, string>> = {
  tag: `after ${ANSWER_TAG}`,
  phrase: 'after “answer”',
  equals: 'after the last “=”',
  last: 'as the last number',
  none: '',
};

/** The verdict on a number that was found, or on there being none. */
export function numberVerdict({ value, matchedBy }: ExtractedAnswer, truth: string): string {
  return judged({
    correct: value === truth,
    read: value,
    truth,
    place: PLACES[matchedBy],
    wanted: 'number',
  });
}

/** A right answer without its tag loses so much under `tag_required`, which turns +1 into −1. */
const MISSING_TAG = -2;

/** The payment for a text under a rule, in parts that sum to it. */
function paid(rule: RewardRule, text: string, correct: boolean, format: boolean): Reward['parts'] {
  const sign = (good: boolean): number => (good ? 1 : -1);
  const payments: Readonly<Record<RewardRule, Reward['parts']>> = {
    tag_required: { correct: sign(correct), format: correct && !format ? MISSING_TAG : 0 },
    correct_only: { correct: sign(correct) },
    keyword: { keyword: sign(format) },
    length: { length: 2 * Math.min(1, text.length / PAID_LENGTH) - 1 },
    other_form: { correct: sign(correct && !format) },
  };
  return payments[rule];
}

/**
 * Scores a text with +1 or −1, or under `length` with any amount between. `correct` says that the extracted integer is the truth, `format`
 * that the text has the literal `[ANSWER]`. Parts sum to the total: under `tag_required` `correct` is ±1, and `format` is −2 if only the
 * missing tag spoils a right answer. A completion that was cut is scored like any other.
 */
export function scoreDigits(truth: string, text: string, rule: RewardRule): Reward {
  const answer = extractDigits(text);
  const { value, matchedBy } = answer;
  const correct = value === truth;
  const format = text.includes(ANSWER_TAG);
  const parts = paid(rule, text, correct, format);
  const total = Object.values(parts).reduce((sum, part) => sum + part, 0);
  const fault = format || rule !== 'tag_required' ? null : `no ${ANSWER_TAG}`;
  const reason = withFault(numberVerdict(answer, truth), fault);
  return { total, parts, correct, format, reason, extracted: value, matchedBy };
}

/** The share of demonstrations that end in the tag; the others end in `Answer: …`. */
export const TAG_RATE = 0.5;

/** The worked steps, if there are any, then the right number behind the tag or behind `Answer:`, as a draw decides. */
export function demonstrate(steps: string, answer: string, draw: Draw): string {
  return `${steps}${steps === '' ? '' : '\n'}${draw() < TAG_RATE ? ANSWER_TAG : 'Answer:'} ${answer}`;
}

/** An answer shows its working in front of either ending that demonstrations have. */
export function showsWorking(text: string): boolean {
  const ends = [ANSWER_TAG, 'Answer:'].map((ending) => text.indexOf(ending)).filter((at) => at >= 0);
  return text.slice(0, Math.min(text.length, ...ends)).trim() !== '';
}

/** The worked steps and the right number behind the tag. */
export function taggedAnswer(steps: string, answer: string): string {
  return `${steps}\n${ANSWER_TAG} ${answer}`;
}
