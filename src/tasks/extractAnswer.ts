/** Reading the answer out of a completion, by the rules of the Monarch digit experiment (PyTorch TorchTitan, 2026). */
import { integerEnd, lastInteger, readInteger, skipSpace } from './python/text.ts';
import type { MatchedBy } from './types.ts';

/** The literal, case-sensitive tag that the prompts ask for; its presence alone is the format flag. */
export const ANSWER_TAG = '[ANSWER]';

export interface ExtractedAnswer {
  /** Canonical decimal integer of any length, or null. */
  readonly value: string | null;
  readonly matchedBy: MatchedBy;
}

/*
 * Under IGNORECASE, Python folds ſ (U+017F) to s and İ (U+0130) and ı (U+0131) to i; JavaScript's i flag does not.
 * "the answer is" ends in "answer is", so the shorter phrase finds both.
 */
const PHRASE = /an[sſ]wer(?: [iİı][sſ]|:)/gi;
/** Passed over before ASCII that is no whitespace, hyphen or digit: a long line of `=` is read quickly so. */
const EQUALS = /=(?![!-,./:-~])/g;
const THE_ANSWER = /the an[sſ]wer/iy;

/** After `= 12`: an optional full stop and whitespace, then "The answer" or the end of the text. */
function concludes(text: string, end: number): boolean {
  const rest = skipSpace(text, text.charAt(end) === '.' ? end + 1 : end);
  THE_ANSWER.lastIndex = rest;
  return rest === text.length || THE_ANSWER.test(text);
}

/** The index behind the next opener from an index on; -1 where there is none. */
type NextOpener = (text: string, from: number) => number;

function behindTag(text: string, from: number): number {
  const at = text.indexOf(ANSWER_TAG, from);
  return at < 0 ? -1 : at + ANSWER_TAG.length;
}

const behindPattern =
  (pattern: RegExp): NextOpener =>
  (text, from) => {
    pattern.lastIndex = from;
    return pattern.test(text) ? pattern.lastIndex : -1;
  };

/** The last integer behind an opener (whitespace between allowed) whose end `accepts` likes. */
function lastBehind(
  text: string,
  next: NextOpener,
  accepts: (end: number) => boolean = () => true,
): string | null {
  let last = -1;
  for (let place = next(text, 0); place >= 0; place = next(text, place)) {
    const start = skipSpace(text, place);
    const end = integerEnd(text, start);
    if (end > start && accepts(end)) last = start;
  }
  return last < 0 ? null : (readInteger(text, last)?.value ?? null);
}

/**
 * The answer that a text gives. The first stage that matches wins, and in it the last match:
 * `tag` = the tag and a number; `phrase` = "answer is" or "answer:" and a number, in any case; `equals` = "=" and a
 * number that ends the text or stands before "The answer"; `last` = the last number of the text; else `none`.
 * Digits, whitespace and case are Python's. A hyphen before a digit is a minus sign; a separator ends a number.
 * Time is linear in the length of the text.
 */
export function extractAnswer(text: string): ExtractedAnswer {
  const tag = lastBehind(text, behindTag);
  if (tag !== null) return { value: tag, matchedBy: 'tag' };
  const phrase = lastBehind(text, behindPattern(PHRASE));
  if (phrase !== null) return { value: phrase, matchedBy: 'phrase' };
  const equals = lastBehind(text, behindPattern(EQUALS), (end) => concludes(text, end));
  if (equals !== null) return { value: equals, matchedBy: 'equals' };
  const last = lastInteger(text);
  return last === null ? { value: null, matchedBy: 'none' } : { value: last, matchedBy: 'last' };
}
