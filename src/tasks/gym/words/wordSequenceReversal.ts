import { shuffled, uniformInt } from '@rl-playground/base/random';
import { defineGymTask, whole } from '../shared/define.ts';
import { drawSpan } from './runningText.ts';

/** Words of running text that a list is picked from, for each word of the list. */
const PICKED_FROM = 4;

export const wordSequenceReversal = defineGymTask({
  name: 'word_sequence_reversal',
  title: 'Reverse a list of words',
  summary: 'Write a list of words in reverse order.',
  family: 'words',
  fields: {
    min_words: whole('Fewest words', 'Words of the shortest lists.', 2, 50, 3),
    max_words: whole('Most words', 'Words of the longest lists.', 2, 50, 8),
  },
  levels: [
    { min_words: 2, max_words: 2 },
    { max_words: 3 },
    { max_words: 5 },
    {},
    { min_words: 8, max_words: 20 },
  ],
  draw(draw, { min_words, max_words }) {
    const count = uniformInt(draw, min_words, max_words);
    const words = shuffled(draw, drawSpan(draw, PICKED_FROM * count)).slice(0, count);
    const list = words.join(', ');
    return {
      question: `Write this list of words in reverse order, separated by commas with a space after each comma: ${list}`,
      compact: `word_sequence_reversal ${list}`,
      key: list,
      answer: words.toReversed().join(', '),
      data: { words },
    };
  },
  steps: ({ data: { words } }) => words.map((word, i) => `${i + 1} ${word}`).join(' '),
});
