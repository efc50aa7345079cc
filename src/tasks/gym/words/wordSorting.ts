import { pick, uniformInt, type Draw } from '@rl-playground/base/random';
import { stripSpace } from '../../python/text.ts';
import { compareStrings } from '@rl-playground/base/pythonText';
import type { ScoringMode } from '../../define/types.ts';
import { choice, defineGymTask, whole } from '../shared/define.ts';
import { commonWords, countCommonWords, drawCase, drawDistinctWords, drawRandomCase } from './wordLists.ts';

type Transformation = 'original' | 'lowercase' | 'uppercase' | 'randomcase';

const WRITTEN: Readonly<Record<Transformation, (draw: Draw, word: string) => string>> = {
  original: drawCase,
  lowercase: (_, word) => word,
  uppercase: (_, word) => word.toUpperCase(),
  randomcase: drawRandomCase,
};

/**
 * Scores 1 for the list, else the share of words in their place. `upstream` gives at least 0.2 to the right words in any order and ignores
 * further words at the end; `strict` does neither.
 */
function sortedScore(candidate: string, truth: readonly string[], mode: ScoringMode): number {
  const given = candidate.split(',').map(stripSpace);
  const right = truth.filter((word, i) => given[i] === word).length;
  if (mode === 'strict') return right / Math.max(truth.length, given.length);
  const share = right / truth.length;
  const sorted = truth.toSorted(compareStrings);
  const same =
    given.length === truth.length && given.toSorted(compareStrings).every((word, i) => word === sorted[i]);
  return same ? Math.max(share, 0.2) : share;
}

/** The shortest start of each word that no other word of the list shares, or all of it. */
function ownStarts(words: readonly string[]): string[] {
  return words.map((word, i) => {
    const others = words.filter((_, j) => j !== i);
    for (let length = 1; length < word.length; length++) {
      const start = word.slice(0, length);
      if (!others.some((other) => other.startsWith(start))) return start;
    }
    return word;
  });
}

export const wordSorting = defineGymTask({
  name: 'word_sorting',
  title: 'Sort words',
  summary: 'Put a few words in ascending or descending order; capitals come before small letters.',
  family: 'words',
  fields: {
    min_words: whole('Fewest words', 'Fewest words in a list.', 2, 100, 3),
    max_words: whole('Most words', 'Most words in a list.', 2, 100, 10),
    min_word_length: whole('Shortest word', 'Letters of the shortest words.', 2, 15, 3),
    max_word_length: whole('Longest word', 'Letters of the longest words.', 2, 15, 12),
    transformation: choice(
      'Letters',
      'How the words are written. Capitals come before all small letters.',
      {
        original: 'As in a text: some with a capital',
        lowercase: 'Small letters',
        uppercase: 'Capitals',
        randomcase: 'Each letter at random',
      },
      'original',
    ),
  },
  levels: [
    { max_words: 3, max_word_length: 5, transformation: 'lowercase' },
    { max_words: 5, max_word_length: 7, transformation: 'lowercase' },
    { max_words: 7 },
    {},
    { min_words: 10, max_words: 25, transformation: 'randomcase' },
  ],
  metadata: (z) => ({ sorted_words: z.array(z.string()) }),
  checkConfig({ max_words, min_word_length, max_word_length }) {
    const words = countCommonWords(min_word_length, max_word_length);
    return words < max_words
      ? `max_words: ${max_words} different words are needed, and ${words} have ${min_word_length} to ${max_word_length} letters; allow more lengths.`
      : null;
  },
  draw(draw, { min_words, max_words, min_word_length, max_word_length, transformation }) {
    const count = uniformInt(draw, min_words, max_words);
    const words = drawDistinctWords(draw, count, min_word_length, max_word_length, commonWords());
    const written = words.map((word) => WRITTEN[transformation](draw, word));
    const direction = pick(draw, ['ascending', 'descending']);
    const up = written.toSorted(compareStrings);
    const sorted = direction === 'ascending' ? up : up.toReversed();
    const list = written.join(', ');
    return {
      question: `Sort the words below in ${direction} order of their ASCII/Unicode codes, so that all capitals come before all small letters. Answer with the words separated by commas, like this: word_1, word_2, word_3\n\nWords: ${list}`,
      compact: `word_sorting ${direction}: ${list}`,
      key: `${direction}: ${up.join(', ')}`,
      answer: sorted.join(', '),
      data: { transformed_words: written, sorted_words: sorted, direction },
    };
  },
  scoreAnswer: (candidate, { metadata: { sorted_words } }, mode) =>
    sortedScore(candidate, sorted_words, mode),
  steps({ data: { sorted_words, transformed_words } }) {
    const starts = ownStarts(sorted_words);
    const before = transformed_words.map((word) => starts[sorted_words.indexOf(word)] ?? word);
    return `${before.join(' ')}\n${starts.join(' ')}`;
  },
});
