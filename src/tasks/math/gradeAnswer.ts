/** Whether an answer is right, by the Tinker cookbook's grader for mathematics; symbols other than numbers are not worked out. */
import { stripSpace } from '../python/text.ts';
import { equalExpressions } from './expression.ts';
import { normalizeLatex } from './latexAnswer.ts';
import { isWholeText, normalizePlain, tupleElements } from './plainAnswer.ts';

/** The comparison that found two answers equal; null where none did. */
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
