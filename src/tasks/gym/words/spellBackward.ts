import { pick, pickWeighted, type Draw } from '@rl-playground/base/random';
import { stripSpace } from '../../python/text.ts';
import type { ScoringMode } from '../../define/types.ts';
import { defineGymTask, whole, type ConfigOf } from '../shared/define.ts';
import { codePoints } from '../shared/scoring.ts';
import { countWords, wordsOfLength } from './wordLists.ts';

/** Words by length, from 3 letters, in Webster's Second, which upstream's list is: longer words come up more often. */
const WEBSTER_COUNTS = [
  1420, 5272, 10_230, 17_706, 23_869, 29_989, 32_403, 30_878, 26_013, 20_462, 14_939, 9765, 5925,
];
const SHORTEST = 3;
const LONGEST = SHORTEST + WEBSTER_COUNTS.length - 1;

const fields = {
  min_word_len: whole('Shortest word', 'Letters of the shortest words.', SHORTEST, LONGEST, 3),
  max_word_len: whole('Longest word', 'Letters of the longest words.', SHORTEST, LONGEST, 10),
};
type Config = ConfigOf<typeof fields>;

function drawLength(draw: Draw, { min_word_len, max_word_len }: Config): number {
  const counts = WEBSTER_COUNTS.slice(min_word_len - SHORTEST, max_word_len - SHORTEST + 1);
  return min_word_len + pickWeighted(draw, counts);
}

const reverse = (word: string): string => Array.from(word).toReversed().join('');

/**
 * Scores 1 for the word in any case, else the share of its letters in their place. `upstream` takes 0.2 off a longer answer that starts
 * with the word, but only if its sum of shares is exactly 1.
 */
function backwardScore(candidate: string, truth: string, mode: ScoringMode): number {
  const strict = mode === 'strict';
  const expected = Array.from(truth.toLowerCase());
  const given = (strict ? stripSpace(candidate) : candidate).toLowerCase();
  if (given === expected.join('')) return 1;
  const letters = Array.from(given.slice(0, 2 * expected.length));
  let sum = 0;
  let right = 0;
  for (const [i, letter] of expected.entries()) {
    if (letters[i] !== letter) continue;
    sum += 1 / expected.length;
    right++;
  }
  if (strict) return right / Math.max(expected.length, codePoints(given));
  return sum === 1 ? sum - 0.2 : sum;
}

export const spellBackward = defineGymTask({
  name: 'spell_backward',
  title: 'Spell backward',
  summary: 'Write a word with its letters in reverse order.',
  family: 'words',
  fields,
  levels: [
    { min_word_len: 3, max_word_len: 4 },
    { min_word_len: 3, max_word_len: 5 },
    { min_word_len: 3, max_word_len: 7 },
    {},
    { min_word_len: 7, max_word_len: 12 },
  ],
  space: ({ min_word_len, max_word_len }) => countWords(min_word_len, max_word_len),
  draw(draw, config) {
    const word = pick(draw, wordsOfLength(drawLength(draw, config)));
    return {
      question: `Write this word with its letters in reverse order (for instance, sun becomes nus): ${word}`,
      compact: `spell_backward ${word}`,
      key: word,
      answer: reverse(word),
      data: { word, word_len: word.length },
    };
  },
  scoreAnswer: (candidate, { answer }, mode) => backwardScore(candidate, answer, mode),
  steps({ answer }) {
    const numbered = Array.from(answer)
      .toReversed()
      .map((letter, i) => `${i + 1}${letter}`);
    return `${numbered.join(' ')}\n${numbered.toReversed().join(' ')}`;
  },
});
