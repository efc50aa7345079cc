/**
 * This file counts what IFEval's checks count in a text, by Python's rules of characters and in linear time. IFEval splits sentences by nltk's Punkt, which is
 * a trained model, and words by its Treebank tokenizer; the rules for sentences and for words in capitals here are plain ones instead.
 */
import { skipSpace, splitSpace, stripSpace } from '../python/text.ts';

/** Python's `\w`: marks belong to no word. */
export const WORD_CHARACTER = String.raw`[\p{L}\p{N}_]`;
const WORDS = new RegExp(`${WORD_CHARACTER}+`, 'gu');

export const matches = (text: string, pattern: RegExp): string[] => text.match(pattern) ?? [];

export const countWords = (text: string): number => matches(text, WORDS).length;

/** A word as a pattern that ignores case as Python's `re` does, which also takes the Turkish letters for an i. */
export const anyCase = (word: string): string => word.replaceAll('i', '[iİı]');

export const countOf = (text: string, word: string): number =>
  matches(text, new RegExp(anyCase(word), 'giu')).length;

export const hasWord = (text: string, word: string): boolean =>
  new RegExp(`(?<!${WORD_CHARACTER})${anyCase(word)}(?!${WORD_CHARACTER})`, 'iu').test(text);

/** Python's `str.isupper`. */
export const isUpper = (text: string): boolean =>
  /\p{Uppercase}/u.test(text) && !/[\p{Lowercase}\p{Lt}]/u.test(text);

/** Python's `str.islower`. */
export const isLower = (text: string): boolean =>
  /\p{Lowercase}/u.test(text) && !/[\p{Uppercase}\p{Lt}]/u.test(text);

/** Pieces of text between the characters at which the Treebank tokenizer parts words. It parts contractions alone at an apostrophe, this every word. */
const PIECES = /[^\s,:;@#$%&?!'"()[\]{}<>…]+/gu;

export const capitalWords = (text: string): number => matches(text, PIECES).filter(isUpper).length;

/** The share of a text's letters that `pattern` matches; 0 for a text without letters. */
export function letterShare(text: string, pattern: RegExp): number {
  const letters = matches(text, /\p{L}/gu);
  return letters.length === 0 ? 0 : letters.filter((letter) => pattern.test(letter)).length / letters.length;
}

/** The text without any of these characters at its end. */
export function trimmedEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** The text without any of these characters at its beginning. */
export function trimmedStart(text: string, characters: string): string {
  let start = 0;
  while (start < text.length && characters.includes(text.charAt(start))) start++;
  return text.slice(start);
}

const ABBREVIATIONS = new Set(
  'mr mrs ms dr prof st jr sr co inc ltd vs etc e.g i.e a.m p.m u.s u.k vol fig approx dept est'.split(' '),
);

/** True if a sentence ends with a piece of text that `next` follows. */
function endsSentence(piece: string, next: string): boolean {
  const bare = trimmedEnd(piece, '"\'”’)]}*_');
  if (/[?!]$/.test(bare)) return true;
  if (/(?:\.\.|…)$/.test(bare)) return /^\P{L}*\p{Lu}/u.test(next);
  if (!bare.endsWith('.')) return false;
  const word = trimmedStart(bare, '"\'“‘([{*_').slice(0, -1);
  if (/^\p{L}$/u.test(word) || ABBREVIATIONS.has(word.toLowerCase())) return false;
  return !/^[0-9]+$/.test(word) || !/^\p{Ll}/u.test(next);
}

/** The number of sentences. Lines without a full stop, a question mark or an exclamation mark go on, as with Punkt. */
export function countSentences(text: string): number {
  const pieces = splitSpace(text);
  return pieces.filter((piece, i) => i === pieces.length - 1 || endsSentence(piece, pieces[i + 1] ?? ''))
    .length;
}

/** Counts the lines that begin with what the sticky `mark` matches, behind whitespace that may hold line breaks. */
function markedLines(text: string, mark: RegExp): number {
  let count = 0;
  for (let at = 0; ;) {
    const start = skipSpace(text, at);
    mark.lastIndex = start;
    const length = mark.exec(text)?.[0].length ?? 0;
    if (length > 0) count++;
    // A line break that belongs to the mark ends no line.
    const lineBreak = text.indexOf('\n', start + length);
    if (lineBreak < 0) return count;
    at = lineBreak + 1;
  }
}

/** Lines that begin with `*`, but not with `**`, or with `-`. */
export const countBullets = (text: string): number => markedLines(text, /\*[^*]/y) + markedLines(text, /-/y);

const filled = (text: string): boolean => stripSpace(text) !== '';

/** Texts between asterisks, and those between double ones once more, as IFEval counts them. */
export function countHighlights(text: string): number {
  const single = matches(text, /\*[^\n*]*\*/g).map((each) => each.slice(1, -1));
  const double = matches(text, /\*\*[^\n*]*\*\*/g).map((each) => each.slice(2, -2));
  return [...single, ...double].filter(filled).length;
}

/** Texts between square brackets, each within a line. */
export function countPlaceholders(text: string): number {
  let count = 0;
  for (const line of text.split('\n')) {
    for (let at = line.indexOf('['); at >= 0;) {
      const end = line.indexOf(']', at);
      if (end < 0) break;
      count++;
      at = line.indexOf('[', end);
    }
  }
  return count;
}

/** True if a line has a text between `<<` and `>>`. */
export function hasTitle(text: string): boolean {
  return text.split('\n').some((line) => {
    const [start, end] = [line.indexOf('<<'), line.lastIndexOf('>>')];
    return (
      start >= 0 && end > start + 2 && filled(trimmedEnd(trimmedStart(line.slice(start, end), '<'), '>'))
    );
  });
}

/** Returns the texts that a divider parts, or null if one between two dividers is empty. */
export function partedTexts(text: string, divider: string): string[] | null {
  const parts = text.split(divider);
  if (parts.some((part, i) => !filled(part) && i > 0 && i < parts.length - 1)) return null;
  return parts.filter(filled).map(stripSpace);
}

/** The first word in small letters, without quotes before it and up to a punctuation mark. */
export function firstWord(text: string): string {
  const [word = ''] = splitSpace(text);
  const bare = trimmedStart(trimmedStart(word, "'"), '"');
  return (/^[^.,?!'"]*/.exec(bare)?.[0] ?? '').toLowerCase();
}
