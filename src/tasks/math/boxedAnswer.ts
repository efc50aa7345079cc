/** The answer in a box, and the exact comparison of answers that `strict` scoring and tasks of the user's own make. */
import { stripSpace } from '../python/text.ts';
import { equalEquations, equalExpressions, MOST_ANSWER } from './expression.ts';
import { isInteger } from './fraction.ts';
import { normalizeLatex, normalizePlain, tupleElements } from './normalForms.ts';
import { type Numeral, sameNumeral } from './numerals.ts';
import { goldPart, readWhole, sameReading, undressed } from './reading.ts';

const BOX = '\\boxed';

interface Box {
  /** The place of its macro, and the place behind its closing brace. */
  readonly start: number;
  readonly end: number;
  readonly inside: string;
}

const LONGEST_BETWEEN = 40;

/** Says whether the text between two boxes joins them into one answer: `\boxed{3} and \boxed{-2}`. */
function areJoined(between: string): boolean {
  const bare = between.replaceAll(/\\(?:text\{|q?quad|[()[\],;:! ])|[\s$}]/g, '');
  return between.length <= LONGEST_BETWEEN && /^(?:[,;]|[,;]?(?:and|or))$/i.test(bare);
}

/**
 * The contents of the box that closes last, and of those before it that “and”, “or” or a comma joins to it; or what follows `\boxed` and a
 * blank up to the next blank. It is null if there is neither, or if a box stays open, whose answer was cut. Braces behind a backslash count
 * for nothing, nor does a closing brace too many. Linear in the length of the text.
 */
export function boxedAnswer(text: string): string | null {
  const openings: { readonly start: number; readonly box: boolean }[] = [];
  const boxes: Box[] = [];
  let open = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === 0x5c) at += text.startsWith(BOX, at) ? BOX.length - 1 : 1;
    else if (character === 0x7b) {
      const box = text.endsWith(BOX, at);
      openings.push({ start: at + 1, box });
      if (box) open++;
    } else if (character === 0x7d) {
      const opening = openings.pop();
      if (opening?.box !== true) continue;
      open--;
      if (open > 0) continue;
      const start = opening.start - BOX.length - 1;
      boxes.push({ start, end: at + 1, inside: text.slice(opening.start, at) });
    }
  }
  if (open > 0) return null;
  let first = boxes.length - 1;
  while (areJoined(text.slice(boxes[first - 1]?.end ?? 0, boxes[first]?.start ?? 0)) && first > 0) first--;
  const joined = boxes.slice(Math.max(0, first)).map(({ inside }) => inside);
  if (joined.length > 0) return joined.join(', ');
  return /\\boxed\s+([^\s{}\\$]+)/.exec(text)?.[1]?.replace(/[.,;:!?]+$/, '') ?? null;
}

/** A letter of a choice, alone or in brackets. */
const LETTER = /^[([]?([A-Za-z])[)\].]?$/;

/** Parts of an answer that normalized LaTeX would lose: a second answer behind “or”, the blank between two numbers, and the number on the left of an equation. */
const LOSES = /\\text\{\s*(?:or|and|to)\b|\d\s+\d|^\s*-?\d[\d.]*\s*=/;

/** Says whether numbers are the same. As in the cookbook, a fraction in lowest terms wants one in lowest terms. */
const sameNumber = (truth: Numeral, given: Numeral): boolean =>
  sameNumeral(truth, given, 'either') && !(truth.ratio === 'lowest' && given.ratio === 'other');

/** Two elements of a tuple, or two answers that no reader of numbers knows. A whole number equals nothing that is left to be worked out. */
function sameElement(truth: string, given: string): boolean {
  const [wanted, found] = [readWhole(truth), readWhole(given)];
  if (wanted?.kind === 'number' && found?.kind === 'number') return sameNumber(wanted.numeral, found.numeral);
  if (wanted?.kind === 'number' && isInteger(wanted.numeral.value)) return false;
  if (truth.includes('=') && given.includes('=')) return equalEquations(truth, given);
  return truth === given || equalExpressions(truth, given, true);
}

function sameExpression(truth: string, given: string): boolean {
  const [truths, givens] = [tupleElements(truth), tupleElements(given)];
  if (truths.length !== givens.length || truths.length === 0) return false;
  const sameEnds = truth.charAt(0) === given.charAt(0) && truth.at(-1) === given.at(-1);
  if (truths.length > 1 && !sameEnds) return false;
  return truths.every((element, i) => sameElement(element, givens[i] ?? ''));
}

/** The part of a row's answer that Boxed compares. */
export const boxedGold = (answer: string): string => goldPart(answer, boxedAnswer);

/**
 * Says whether an answer is the gold one. Numbers, lists of numbers and times are compared by value, exactly; other answers as normalized
 * LaTeX or plain text, or by the exact value of an expression with roots, π and letters. A number equals no text that only begins with it. Linear in
 * the lengths.
 */
export function sameAnswer(answer: string | null, gold: string): boolean {
  if (answer === null) return false;
  const [given, truth] = [stripSpace(answer), boxedGold(gold)];
  if (given === '' || given.length > MOST_ANSWER) return false;
  if (given === truth) return true;
  const [wanted, found] = [readWhole(truth), readWhole(given)];
  if (wanted !== null && found !== null)
    return sameReading(wanted, found, { same: sameNumber, brackets: true });
  if (wanted?.kind === 'text') return false;
  const [plainTruth, plainGiven] = [normalizePlain(truth, true), normalizePlain(given, true)];
  if (wanted === null) {
    const [letter, other] = [truth, given].map((text) => LETTER.exec(undressed(text))?.[1]);
    if (letter !== undefined && letter === other) return true;
    if (plainGiven === plainTruth && plainGiven !== '') return true;
    const loses = LOSES.test(truth) || LOSES.test(given);
    const latex = loses ? '' : normalizeLatex(given);
    if (latex !== '' && latex === normalizeLatex(truth)) return true;
  }
  return plainGiven !== '' && sameExpression(plainTruth, plainGiven);
}
