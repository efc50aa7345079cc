import { shuffled, type Draw } from '@rl-playground/base/random';
import { splitSpace } from '../../python/text.ts';
import type { ScoringMode } from '../../define/types.ts';
import { defineGymTask, whole } from '../shared/define.ts';
import { drawSentence, drawSentenceLength } from './runningText.ts';

/** Upstream's scores of an answer with another number of words, and of one that it cannot judge. */
const [OTHER_LENGTH, UNJUDGED] = [0.05, 0.01];

/**
 * Scores 1 for the sentence in any case and spacing, else the share of words in their place. `strict` wants exactly the puzzle's words;
 * `upstream` wants their number, and gives 0.05 otherwise.
 */
function orderScore(candidate: string, truth: string, mode: ScoringMode): number {
  if (candidate === truth) return 1;
  const [goal, given] = [truth, candidate].map((text) => splitSpace(text.toLowerCase()));
  if (goal === undefined || given === undefined || goal.length !== given.length)
    return mode === 'strict' ? 0 : OTHER_LENGTH;
  if (goal.length === 0) return mode === 'strict' ? 0 : UNJUDGED;
  const sorted = goal.toSorted();
  if (mode === 'strict' && given.toSorted().some((word, i) => word !== sorted[i])) return 0;
  return goal.filter((word, i) => word === given[i]).length / goal.length;
}

/** The words of a sentence in another order. */
function mixed(draw: Draw, words: readonly string[]): readonly string[] {
  const order = shuffled(draw, words);
  return order.some((word, i) => word !== words[i]) ? order : words.toReversed();
}

export const sentenceReordering = defineGymTask({
  name: 'sentence_reordering',
  title: 'Reorder a sentence',
  summary: 'Put the shuffled words of a sentence back in order.',
  family: 'words',
  fields: {
    min_words_in_sentence: whole('Fewest words', 'Words of the shortest sentences.', 3, 50, 3),
    max_words_in_sentence: whole('Most words', 'Words of the longest sentences.', 3, 50, 20),
  },
  levels: [
    { max_words_in_sentence: 3 },
    { max_words_in_sentence: 5 },
    { max_words_in_sentence: 10 },
    {},
    { min_words_in_sentence: 20, max_words_in_sentence: 40 },
  ],
  draw(draw, { min_words_in_sentence, max_words_in_sentence }) {
    const answer = drawSentence(draw, drawSentenceLength(draw, min_words_in_sentence, max_words_in_sentence));
    const words = answer.split(' ');
    return {
      question: `The words of this sentence are out of order; put them back in order: ${mixed(draw, words).join(' ')}`,
      key: words.toSorted().join(' '),
      answer,
      data: { word_count: words.length },
    };
  },
  scoreAnswer: (candidate, { answer }, mode) => orderScore(candidate, answer, mode),
});
