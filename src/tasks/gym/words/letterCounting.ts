import { pick, uniformInt } from '@rl-playground/base/random';
import { countOf } from '../../python/text.ts';
import { decimalScore, textScore } from '../shared/scoring.ts';
import { defineGymTask, whole } from '../shared/define.ts';
import { drawSpan } from './runningText.ts';

export const letterCounting = defineGymTask({
  name: 'letter_counting',
  title: 'Count a letter',
  summary: 'Count how often a letter appears in a piece of text.',
  family: 'words',
  fields: {
    min_words: whole('Fewest words', 'Words of the shortest pieces of text.', 3, 100, 5),
    max_words: whole('Most words', 'Words of the longest pieces of text.', 3, 100, 15),
  },
  levels: [
    { min_words: 3, max_words: 3 },
    { min_words: 3, max_words: 5 },
    { min_words: 5, max_words: 10 },
    {},
    { min_words: 15, max_words: 40 },
  ],
  draw(draw, { min_words, max_words }) {
    const span = drawSpan(draw, uniformInt(draw, min_words, max_words));
    const text = span.join(' ');
    const lower = text.toLowerCase();
    const letters = [...new Set(lower.replaceAll(' ', ''))].toSorted();
    const target_letter = pick(draw, letters);
    return {
      question: `Count the letter "${target_letter}", as a capital or a small letter, in this text: "${text}". How many times does it appear?`,
      compact: `letter_counting ${target_letter}: ${text}`,
      key: `${target_letter}: ${lower}`,
      answer: `${countOf(lower, target_letter)}`,
      data: { span, target_letter },
    };
  },
  scoreAnswer: (candidate, { answer }, mode) =>
    mode === 'strict' ? decimalScore(candidate, answer, mode) : textScore(candidate, answer, mode),
  /** Each word is followed by the count so far. */
  steps({ data: { span, target_letter } }) {
    let count = 0;
    return span
      .map((word) => {
        count += countOf(word.toLowerCase(), target_letter);
        return `${word} ${count}`;
      })
      .join(' ');
  },
});
