/** The Tinker cookbook's environments for mathematics: reading, judging and paying an answer. */
import { type ConfigOf, flag, real } from '../define/fields.ts';
import { skipSpace, stripSpace } from '../python/text.ts';
import { judged, withFault } from '../define/reason.ts';
import type { StopReason } from '@rl-playground/base/conversation';
import type { Reward, ScoringMode } from '../define/types.ts';
import { boxedAnswer, sameAnswer } from './boxedAnswer.ts';
import { equalExpressions, isTried, MOST_ANSWER } from './expression.ts';
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
 * The contents of the box whose closing brace comes last, or the word behind the first `\boxed` and whitespace. It is null if there is
 * neither, or if a closing brace anywhere has no opening one, at which the cookbook raises. Unclosed braces do no harm. Linear in the
 * length of the text.
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

/** The comparison that found two answers equal, or null. Only the symbols of numbers are worked out. */
export type EqualBy = 'latex' | 'plain' | 'value' | null;

const FRACTION = /^-?[0-9]+[^\n]?\/0*[1-9][0-9]*[^\n]?\n?$/u;

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
 * Compares an answer with the gold one as the cookbook does: as normalized LaTeX, as normalized plain text, or by value. Tuples with the
 * same brackets are compared by element; a fraction equals no other fraction. A number near an integer is read as a double, so that integers
 * beyond 2^53 equal their neighbours; `sameAnswer` is exact. The values of rational numbers, square roots and π are exact; the cookbook asks
 * sympy, which finds more expressions equal. The time is linear in the lengths. Null, no answer, is wrong.
 */
export function gradeAnswer(answer: string | null, gold: string): EqualBy {
  if (answer === null) return null;
  const given = answer.length > MOST_ANSWER ? stripSpace(answer) : answer;
  if (given.length > MOST_ANSWER) return null;
  if (normalizeLatex(given) === normalizeLatex(gold)) return 'latex';
  const [plainGiven, plainGold] = [normalizePlain(given), normalizePlain(gold)];
  if (plainGiven === plainGold) return 'plain';
  return plainGiven !== '' && equalValues(plainGold, plainGiven) ? 'value' : null;
}

export interface MathReward {
  /** The error in the completion's ending, or null. */
  readonly endingFault: string | null;
  /** The loss of a completion in the wrong form. */
  readonly formatWeight: number;
  /** `upstream` reads and compares answers as the cookbook does, `strict` exactly. */
  readonly mode: ScoringMode;
}

/**
 * Pays `1[correct] + formatWeight · (1[format] − 1)`. The format is a readable box in a completion that ended; a right answer counts
 * without it.
 */
export function gradeMath(
  text: string,
  gold: string,
  { endingFault, formatWeight, mode }: MathReward,
): Reward {
  const extracted = mode === 'upstream' ? extractBoxed(text) : boxedAnswer(text);
  const correct = mode === 'upstream' ? gradeAnswer(extracted, gold) !== null : sameAnswer(extracted, gold);
  const format = extracted !== null && endingFault === null;
  const parts = { correct: correct ? 1 : 0, format: format ? 0 : -formatWeight };
  const verdict = judged({ correct, read: extracted, truth: gold, wanted: `readable ${BOX}{…}` });
  const reason = withFault(verdict, endingFault);
  return { total: parts.correct + parts.format, parts, correct, format, reason, extracted };
}

export const FORMAT_FIELDS = {
  format_weight: real(
    'Weight of the format',
    'What an answer in the wrong format loses, whether right or wrong.',
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

/** The reason why the end of a completion does not count as one, or null. */
export function endingFault(stopReason: StopReason, config: ConfigOf<typeof FORMAT_FIELDS>): string | null {
  if (stopReason === 'stop' || (stopReason === 'eos' && !config.require_stop_string)) return null;
  return stopReason === 'eos' ? 'ended without a stop string' : 'cut before its end';
}
