/** How the Tinker cookbook's environments for mathematics read, judge and pay an answer. */
import { type ConfigOf, flag, real } from '../fields.ts';
import { skipSpace, stripSpace } from '../python/text.ts';
import { judged, withFault } from '../reason.ts';
import type { StopReason } from '@rl-playground/base/conversation';
import type { Reward } from '../types.ts';
import { equalExpressions } from './expression.ts';
import { normalizeLatex, isWholeText, normalizePlain, tupleElements } from './normalForms.ts';

const BOX = '\\boxed';
const WORD = /[a-zA-Z0-9]+/y;

/** The word behind the first `\boxed` that whitespace and a word of ASCII letters and digits follow. */
function unbracedBox(text: string): string | null {
  for (let at = text.indexOf(BOX); at >= 0; at = text.indexOf(BOX, at + 1)) {
    const behind = at + BOX.length;
    const start = skipSpace(text, behind);
    WORD.lastIndex = start;
    const word = start > behind ? WORD.exec(text) : null;
    if (word !== null) return word[0];
  }
  return null;
}

/**
 * The contents of the box whose closing brace comes last, nested braces kept; without a braced one, the word behind the first
 * `\boxed` and whitespace. Null where there is neither, and where a closing brace anywhere has no opening one: the cookbook
 * raises then, however good the box before it. Unclosed braces do no harm. Linear in the length of the text.
 */
export function extractBoxed(text: string): string | null {
  const openings: number[] = [];
  let boxed: string | null = null;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === 0x7b) openings.push(at);
    if (character !== 0x7d) continue;
    const opening = openings.pop();
    if (opening === undefined) return null;
    if (text.endsWith(BOX, opening)) boxed = text.slice(opening + 1, at);
  }
  return boxed ?? unbracedBox(text);
}

/** The comparison that found two answers equal; symbols other than numbers are not worked out. Null where none did. */
export type EqualBy = 'latex' | 'plain' | 'value' | null;

const FRACTION = /^-?[0-9]+[^\n]?\/0*[1-9][0-9]*[^\n]?\n?$/u;
const MOST_LETTERS = 2;
/** Longer answers, blanks at the ends aside, are wrong unread; the cookbook has a time limit. */
const MOST_CHARACTERS = 20_000;
const POWERS_NOT_TRIED = /\^\{|\^\(|\^[0-9]+\^|\^[0-9][0-9]/;

/** Letters and powers on which the cookbook does not try to compare values. */
function isTried(expression: string): boolean {
  if (POWERS_NOT_TRIED.test(expression)) return false;
  const letters = new Set(expression.replaceAll('sqrt', '').replaceAll('frac', '').match(/\p{L}/gu));
  return letters.size <= MOST_LETTERS;
}

function equalElements(gold: string, given: string): boolean {
  if (FRACTION.test(gold) && FRACTION.test(given)) return gold === given;
  if (isWholeText(gold) !== isWholeText(given)) return false;
  return isTried(`(${gold})-(${given})`) && equalExpressions(gold, given);
}

function equalValues(gold: string, given: string): boolean {
  const [golds, givens] = [tupleElements(gold), tupleElements(given)];
  if (golds.length !== givens.length || golds.length === 0) return false;
  const sameEnds =
    gold.charAt(0) === given.charAt(0) && gold.charAt(gold.length - 1) === given.charAt(given.length - 1);
  if (golds.length > 1 && !sameEnds) return false;
  return golds.every((element, i) => equalElements(element, givens[i] ?? ''));
}

/**
 * How `answer` equals `gold`: as normalized LaTeX, as normalized plain text, or in value: element by element of a tuple with the same
 * brackets, where an integer equals nothing but itself and a fraction nothing but the same one. Values are exact, of rational
 * numbers, square roots and π; the cookbook, which asks sympy here, also finds expressions with other symbols equal.
 * Linear in the lengths. No answer (null) is wrong.
 */
export function gradeAnswer(answer: string | null, gold: string): EqualBy {
  if (answer === null) return null;
  const given = answer.length > MOST_CHARACTERS ? stripSpace(answer) : answer;
  if (given.length > MOST_CHARACTERS) return null;
  if (normalizeLatex(given) === normalizeLatex(gold)) return 'latex';
  const [plainGiven, plainGold] = [normalizePlain(given), normalizePlain(gold)];
  if (plainGiven === plainGold) return 'plain';
  return plainGiven !== '' && equalValues(plainGold, plainGiven) ? 'value' : null;
}

export interface MathReward {
  /** What is wrong with how the completion ended; null where it came to an end of its own. */
  readonly endingFault: string | null;
  /** What a completion in the wrong form loses. */
  readonly formatWeight: number;
}

/**
 * `1[correct] + formatWeight · (1[format] − 1)`: the format is a box that can be read in a completion that ended; a right answer
 * counts without it.
 */
export function gradeMath(text: string, gold: string, { endingFault, formatWeight }: MathReward): Reward {
  const extracted = extractBoxed(text);
  const correct = gradeAnswer(extracted, gold) !== null;
  const format = extracted !== null && endingFault === null;
  const parts = { correct: correct ? 1 : 0, format: format ? 0 : -formatWeight };
  const verdict = judged({ correct, read: extracted, truth: gold, wanted: `${BOX}{…} that can be read` });
  const reason = withFault(verdict, endingFault);
  return { total: parts.correct + parts.format, parts, correct, format, reason, extracted };
}

export const FORMAT_FIELDS = {
  format_weight: real(
    'Weight of the format',
    'What an answer in the wrong form loses, whether right or wrong.',
    0,
    10,
    0.1,
  ),
  require_stop_string: flag(
    'Only a stop string ends an answer',
    'With a chat template the end-of-sequence token ends the turn: leave this off. With the form "User: … Assistant: …" for base models, the cookbook counts an answer as ended only by the stop string before the next "User:".',
    false,
  ),
};

/** What keeps the end of a completion from being one that the format counts; null where nothing does. */
export function endingFault(stopReason: StopReason, config: ConfigOf<typeof FORMAT_FIELDS>): string | null {
  if (stopReason === 'stop' || (stopReason === 'eos' && !config.require_stop_string)) return null;
  return stopReason === 'eos' ? 'ended without a stop string' : 'cut before its end';
}
