import { stripSpace } from '../../python/text.ts';
import { compareStrings } from '@rl-playground/base/pythonText';
import { pick, shuffled, uniformInt } from '@rl-playground/base/random';
import { defineGymTask, whole } from '../shared/define.ts';
import { LETTERS } from './wordLists.ts';
import { multisets } from '../../define/wholeNumbers.ts';

/** The number of each letter, in the order of first appearance. */
function countLetters(letters: readonly string[]): [letter: string, count: number][] {
  const counts = new Map<string, number>();
  for (const letter of letters) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  return [...counts];
}

/** Half of each letter's occurrences, and the letter that is left over. */
function halves(letters: readonly string[]): { half: string; middle: string } {
  const counts = countLetters(letters);
  return {
    half: counts.map(([letter, count]) => letter.repeat(count >> 1)).join(''),
    middle: counts.map(([letter, count]) => letter.repeat(count & 1)).join(''),
  };
}

function palindromeOf(letters: readonly string[]): string {
  const { half, middle } = halves(letters);
  return half + middle + Array.from(half).toReversed().join('');
}

/** Says whether a text's code points are the same both ways. It makes no copies, because answers may be huge. */
function isPalindrome(text: string): boolean {
  for (let [start, end] = [0, text.length]; start < end;) {
    const first = text.codePointAt(start) ?? 0;
    const pair = text.codePointAt(Math.max(0, end - 2)) ?? 0;
    const last = pair > 0xffff ? pair : text.charCodeAt(end - 1);
    if (first !== last) return false;
    const width = first > 0xffff ? 2 : 1;
    start += width;
    end -= width;
  }
  return true;
}

/** 1 for a palindrome of just these letters; 0.05 for one of others and 0.02 for any other text. */
function palindromeScore(candidate: string, letters: readonly string[]): number {
  const text = stripSpace(candidate).toLowerCase();
  if (!isPalindrome(text)) return 0.02;
  if (text.length !== letters.join('').length) return 0.05;
  const [given, wanted] = [Array.from(text).toSorted(compareStrings), letters.toSorted(compareStrings)];
  return given.every((letter, i) => letter === wanted[i]) ? 1 : 0.05;
}

export const palindromeGeneration = defineGymTask({
  name: 'palindrome_generation',
  title: 'Make a palindrome',
  summary: 'Put all the given letters in an order that reads the same both ways.',
  family: 'words',
  fields: {
    min_length: whole('Fewest letters', 'Letters of the shortest palindromes.', 1, 500, 3),
    max_length: whole('Most letters', 'Letters of the longest palindromes.', 1, 500, 10),
  },
  levels: [
    { min_length: 3, max_length: 5 },
    { min_length: 4, max_length: 7 },
    {},
    { min_length: 8, max_length: 20 },
    { min_length: 10, max_length: 50 },
  ],
  metadata: (z) => ({ letters: z.array(z.string()) }),
  space({ min_length, max_length }) {
    let lists = 0;
    for (let length = min_length; length <= max_length && lists < 1e6; length++)
      lists += multisets(LETTERS.length, length >> 1) * (length % 2 === 1 ? LETTERS.length : 1);
    return lists;
  },
  draw(draw, { min_length, max_length }) {
    const length = uniformInt(draw, min_length, max_length);
    const half = Array.from({ length: length >> 1 }, () => pick(draw, LETTERS));
    const middle = length % 2 === 1 ? [pick(draw, LETTERS)] : [];
    const letters = shuffled(draw, [...half, ...half, ...middle]);
    return {
      question: `A palindrome reads the same forwards and backwards. Make one out of the letters below, using each of them exactly as often as it is listed. If several are possible, give any one. Answer with the letters only, as one string without spaces or punctuation.\n\nLetters: ${letters.join(', ')}`,
      compact: `palindrome_generation ${letters.join(' ')}`,
      key: letters.toSorted().join(''),
      answer: palindromeOf(letters),
      data: { letters, generated_palindrome: palindromeOf(letters), length },
    };
  },
  scoreAnswer(candidate, { metadata: { letters } }, mode) {
    if (candidate === '') return 0;
    const score = palindromeScore(candidate, letters);
    return mode === 'strict' && score < 1 ? 0 : score;
  },
  /** The number of each letter, then half of them and the one in the middle. */
  steps({ data: { letters } }) {
    const { half, middle } = halves(letters);
    const counts = countLetters(letters).map(([letter, count]) => `${letter}${count}`);
    return `${counts.join(' ')}\n${half} ${middle}`.trimEnd();
  },
});
