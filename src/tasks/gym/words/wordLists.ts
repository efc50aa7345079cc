/** The words of the tasks about words. The lists are a file of their own, `wordData.ts`: the page draws its first screen without them. */
import { sumOver } from '../../define/wholeNumbers.ts';
import { pick, type Draw } from '@rl-playground/base/random';

interface WordLists {
  /** About 3,900 different common words in lower case, of 2 letters or more. */
  readonly common: readonly string[];
  /** About 10,700 different words in lower case, the common ones included. */
  readonly all: readonly string[];
}

let makeLists: (() => WordLists) | null = null;
let lists: WordLists | null = null;

/** Takes what makes the lists that problems are drawn from, for when a first one is; `wordData.ts` calls it. */
export function provideWords(make: () => WordLists): void {
  makeLists = make;
}

/** The lists. Throws until `wordData.ts` was imported. */
function known(): WordLists {
  lists ??= makeLists?.() ?? null;
  if (lists === null)
    throw new Error('The words of this task are not loaded. Import tasks/gym/words/wordData.ts first.');
  return lists;
}

export const commonWords = (): readonly string[] => known().common;

export const allWords = (): readonly string[] => known().all;

/** Letters of the longest word of either list. */
const LONGEST_WORD = 17;

type Buckets = ReadonlyMap<number, readonly string[]>;
const bucketsOf = new Map<readonly string[], Buckets>();

function buckets(list: readonly string[]): Buckets {
  const sorted = bucketsOf.get(list);
  if (sorted !== undefined) return sorted;
  const made = new Map<number, string[]>();
  for (const word of list) {
    const same = made.get(word.length) ?? [];
    if (same.push(word) === 1) made.set(word.length, same);
  }
  bucketsOf.set(list, made);
  return made;
}

/** The words of `list` with `letters` letters; the same array at every call, empty where there are none. */
export function wordsOfLength(letters: number, list: readonly string[] = allWords()): readonly string[] {
  return buckets(list).get(letters) ?? [];
}

/** Number of words of `list` that have from `min` to `max` letters. */
export function countWords(min: number, max: number, list: readonly string[] = allWords()): number {
  return sumOver(min, max, (letters) => wordsOfLength(letters, list).length);
}

/** The numbers of common words with 2, 3, … letters. Settings are checked with them before the lists are there. */
const COMMON_BY_LENGTH = [28, 157, 456, 595, 635, 669, 560, 361, 245, 122, 68, 28, 11, 1, 1];

/** Number of common words that have from `min` to `max` letters; needs no list. */
export function countCommonWords(min: number, max: number): number {
  return COMMON_BY_LENGTH.reduce((sum, count, i) => (i + 2 >= min && i + 2 <= max ? sum + count : sum), 0);
}

/** Draws a word of `min` to `max` letters uniformly. Throws if the list has none. */
export function drawWord(draw: Draw, min: number, max: number, list: readonly string[] = allWords()): string {
  let place = Math.floor(draw() * countWords(min, max, list));
  for (let letters = min; letters <= max; letters++) {
    const same = wordsOfLength(letters, list);
    const word = same[place];
    if (word !== undefined) return word;
    place -= same.length;
  }
  throw new Error(`No word has ${min} to ${max} letters; choose lengths from 2 to ${LONGEST_WORD}.`);
}

/** Draws of a word until a list that should hold it is taken for exhausted. */
const MOST_MISSES = 10_000;

/** `count` different words of `min` to `max` letters, uniformly. Throws where the list has fewer. */
export function drawDistinctWords(
  draw: Draw,
  count: number,
  min: number,
  max: number,
  list: readonly string[] = allWords(),
): string[] {
  const found = new Set<string>();
  for (let attempt = 0; found.size < count && attempt < MOST_MISSES; attempt++)
    found.add(drawWord(draw, min, max, list));
  if (found.size === count) return [...found];
  throw new Error(
    `${countWords(min, max, list)} words have ${min} to ${max} letters; ${count} different ones are needed. Allow more lengths.`,
  );
}

/** Writes a word as it is, with a capital, or in capitals, with the shares of the reference's prose. */
export function drawCase(draw: Draw, word: string): string {
  const style = draw();
  if (style < 0.04) return word.toUpperCase();
  return style < 0.18 ? word.charAt(0).toUpperCase() + word.slice(1) : word;
}

/** Writes each character in capitals or not, with equal chances. */
export function drawRandomCase(draw: Draw, word: string): string {
  return Array.from(word, (letter) => pick(draw, [letter.toLowerCase(), letter.toUpperCase()])).join('');
}

export const LETTERS: readonly string[] = Array.from('abcdefghijklmnopqrstuvwxyz');

/** The word's letters in alphabetical order. */
export function sortLetters(word: string): string {
  return Array.from(word).toSorted().join('');
}
