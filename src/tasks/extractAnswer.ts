/** Reading the answer out of a completion, by the rules of the Monarch digit experiment (PyTorch TorchTitan, 2026). */
import { readInteger, skipSpace } from './pythonText.ts';
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
const TAG = /\[ANSWER\]/g;
const PHRASE = /an[sſ]wer(?: [iİı][sſ]|:)/gi;
const EQUALS = /=/g;
const THE_ANSWER = /the an[sſ]wer/iy;

/** After `= 12`: an optional full stop and whitespace, then "The answer" or the end of the text. */
function concludes(text: string, end: number): boolean {
  const rest = skipSpace(text, text.charAt(end) === '.' ? end + 1 : end);
  THE_ANSWER.lastIndex = rest;
  return rest === text.length || THE_ANSWER.test(text);
}

/** The last integer that follows a match of `opener` (whitespace between allowed) and whose end `accepts` likes. */
function lastAfter(
  text: string,
  opener: RegExp,
  accepts: (end: number) => boolean = () => true,
): string | null {
  let last: string | null = null;
  for (const match of text.matchAll(opener)) {
    const integer = readInteger(text, skipSpace(text, match.index + match[0].length));
    if (integer !== null && accepts(integer.end)) last = integer.value;
  }
  return last;
}

function lastInteger(text: string): string | null {
  let last: string | null = null;
  for (let at = 0; at < text.length;) {
    const integer = readInteger(text, at);
    if (integer !== null) last = integer.value;
    at = integer?.end ?? at + 1;
  }
  return last;
}

/**
 * The answer that a text gives. The first stage that matches wins, and in it the last match:
 * `tag` = the tag and a number; `phrase` = "answer is" or "answer:" and a number, in any case; `equals` = "=" and a
 * number that ends the text or stands before "The answer"; `last` = the last number of the text; else `none`.
 * Digits, whitespace and case are Python's. A hyphen before a digit is a minus sign; a separator ends a number.
 * Time is linear in the length of the text.
 */
export function extractAnswer(text: string): ExtractedAnswer {
  const tag = lastAfter(text, TAG);
  if (tag !== null) return { value: tag, matchedBy: 'tag' };
  const phrase = lastAfter(text, PHRASE);
  if (phrase !== null) return { value: phrase, matchedBy: 'phrase' };
  const equals = lastAfter(text, EQUALS, (end) => concludes(text, end));
  if (equals !== null) return { value: equals, matchedBy: 'equals' };
  const last = lastInteger(text);
  return last === null ? { value: null, matchedBy: 'none' } : { value: last, matchedBy: 'last' };
}
