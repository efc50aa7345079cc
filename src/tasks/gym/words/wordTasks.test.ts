import { describe, expect, it } from 'vitest';
import { distributionGaps, type ComparedItem } from '../../testing/gymDistribution.ts';
import { describeShared } from '@rl-playground/base/testing/shared';
import { drawsFor } from '@rl-playground/base/random';
import { caesarCipher } from './caesarCipher.ts';
import type { GymTask } from '../shared/define.ts';
import { letterCounting } from './letterCounting.ts';
import { drawSentence, drawSpan } from './runningText.ts';
import { sentenceReordering } from './sentenceReordering.ts';
import { spellBackward } from './spellBackward.ts';
import {
  drawDistinctWords,
  drawWord,
  allWords,
  commonWords,
  countCommonWords,
  countWords,
} from './wordLists.ts';
import { wordSequenceReversal } from './wordSequenceReversal.ts';
import { wordSorting } from './wordSorting.ts';

const words =
  (name: string) =>
  ({ metadata }: ComparedItem): string[] =>
    metadata[name] as string[];
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
const square = (measure: (item: ComparedItem) => number) => (item: ComparedItem) => measure(item) ** 2;

/** Number, lengths and capitals of the words of an item. */
function wordStatistics(list: (item: ComparedItem) => string[]) {
  return {
    count: (item: ComparedItem) => list(item).length,
    spread: square((item) => list(item).length),
    length: (item: ComparedItem) => mean(list(item).map((word) => word.length)),
    capital: (item: ComparedItem) => mean(list(item).map((word) => (/^[A-Z]/.test(word) ? 1 : 0))),
  };
}

describeShared('distributions', 'refdata/rg', (folder) => {
  const cases: readonly [GymTask, Record<string, (item: ComparedItem) => number>][] = [
    [
      spellBackward,
      {
        length: ({ answer }) => answer.length,
        spread: square(({ answer }) => answer.length),
        vowels: ({ answer }) => answer.replace(/[^aeiou]/gi, '').length / answer.length,
      },
    ],
    [
      wordSorting,
      {
        ...wordStatistics(words('transformed_words')),
        ascending: ({ metadata }) => (metadata['direction'] === 'ascending' ? 1 : 0),
      },
    ],
    [
      letterCounting,
      {
        ...wordStatistics(words('span')),
        answer: ({ answer }) => Number(answer),
        once: ({ answer }) => (answer === '1' ? 1 : 0),
        vowel: ({ metadata }) => ('aeiou'.includes(String(metadata['target_letter'])) ? 1 : 0),
        digit: ({ metadata }) => (/\d/.test(String(metadata['target_letter'])) ? 1 : 0),
      },
    ],
    [
      caesarCipher,
      {
        count: ({ answer }) => answer.split(' ').length,
        spread: square(({ answer }) => answer.split(' ').length),
        length: ({ answer }) => mean(answer.split(' ').map((word) => word.length)),
        rotation: ({ metadata }) => Number(metadata['rotation']),
        'spread of the rotation': square(({ metadata }) => Number(metadata['rotation'])),
      },
    ],
    [
      sentenceReordering,
      {
        count: ({ answer }) => answer.split(' ').length,
        spread: square(({ answer }) => answer.split(' ').length),
        capital: ({ answer }) => mean(answer.split(' ').map((word) => (/^[A-Z]/.test(word) ? 1 : 0))),
      },
    ],
    [wordSequenceReversal, wordStatistics(words('words'))],
  ];

  it.each(cases)('$name', (task, statistics) => {
    const gaps = distributionGaps(task, folder, statistics);
    expect(Object.entries(gaps).filter(([, gap]) => !(gap < 5))).toEqual([]);
  });
});

describe('words and running text', () => {
  it('draws words of the wished lengths, all equally often', () => {
    const draw = drawsFor(1);
    const list = ['of', 'cat', 'dog', 'tree', 'river'];
    const counts = new Map<string, number>();
    for (let i = 0; i < 3000; i++) {
      const word = drawWord(draw, 3, 4, list);
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    expect([...counts.keys()].toSorted()).toEqual(['cat', 'dog', 'tree']);
    // 5 standard deviations of a binomial count.
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(5 * 25.9);
  });

  it('refuses what the list has not', () => {
    expect(() => drawWord(drawsFor(1), 20, 30)).toThrow(/20 to 30 letters/);
    expect(() => drawDistinctWords(drawsFor(1), 3, 3, 3, ['cat', 'dog'])).toThrow(/2 words.*3 different/);
  });

  it('has enough words, each once', () => {
    expect(new Set(allWords()).size).toBe(allWords().length);
    expect(allWords().length).toBeGreaterThan(10_000);
    for (let letters = 1; letters <= 18; letters++)
      expect(countCommonWords(letters, letters)).toBe(countWords(letters, letters, commonWords()));
    expect(allWords().every((word) => /^[a-z]{2,17}$/.test(word))).toBe(true);
  });

  it('makes sentences of exactly the wished number of words', () => {
    for (let count = 3; count <= 50; count++) {
      const sentence = drawSentence(drawsFor(2, count), count);
      expect(sentence.split(' ')).toHaveLength(count);
      expect(sentence).toMatch(/^[A-Z][\w ,]*[.!]$/);
    }
    expect(() => drawSentence(drawsFor(1), 2)).toThrow(/found 2/);
  });

  it('never runs out of spans', () => {
    const spans = new Set(Array.from({ length: 5000 }, (_, i) => drawSpan(drawsFor(3, i), 6).join(' ')));
    expect(spans.size).toBeGreaterThan(4990);
  });
});

const entry = (answer: string, metadata: unknown = {}) => ({ question: '', answer, metadata });

describe('what strict scoring refuses', () => {
  it('spelling: further letters cost, whitespace at the ends does not', () => {
    const score = (text: string, mode: 'strict' | 'upstream') =>
      spellBackward.grade(entry('ziuqer'), text, mode);
    expect(score(' ziuqer\n', 'strict')).toBe(1);
    expect(score('ziuqerzzzzzz', 'strict')).toBe(0.5);
    expect(score('ziuqerzzzzzz', 'upstream')).toBeGreaterThan(0.99);
    expect(score('ziuqxx', 'strict')).toBeCloseTo(4 / 6, 12);
  });

  it('sorting: the words as given earn their places only, further words cost', () => {
    const sorted = entry('a, b, c, d', { sorted_words: ['a', 'b', 'c', 'd'] });
    expect(wordSorting.grade(sorted, 'd, c, b, a', 'upstream')).toBe(0.2);
    expect(wordSorting.grade(sorted, 'd, c, b, a', 'strict')).toBe(0);
    expect(wordSorting.grade(sorted, 'a, b, c, d, e', 'upstream')).toBe(1);
    expect(wordSorting.grade(sorted, 'a, b, c, d, e', 'strict')).toBe(0.8);
  });

  it('counting: a number that holds the right one', () => {
    expect(letterCounting.grade(entry('3'), '13', 'upstream')).toBe(0.5);
    expect(letterCounting.grade(entry('3'), '13', 'strict')).toBe(0);
    expect(letterCounting.grade(entry('3'), ' 3.0 ', 'strict')).toBe(1);
  });

  it('reordering: any words of the right number, and the consolation of upstream', () => {
    const sentence = entry('The dog saw the cat.');
    expect(sentenceReordering.grade(sentence, 'the the the the the', 'upstream')).toBe(0.4);
    expect(sentenceReordering.grade(sentence, 'the the the the the', 'strict')).toBe(0);
    expect(sentenceReordering.grade(sentence, 'nonsense', 'upstream')).toBe(0.05);
    expect(sentenceReordering.grade(sentence, 'nonsense', 'strict')).toBe(0);
    expect(sentenceReordering.grade(sentence, 'The cat. saw the dog', 'strict')).toBe(0.6);
    expect(sentenceReordering.grade(entry(''), ' ', 'upstream')).toBe(0.01);
  });
});

describe('steps of demonstrations', () => {
  const starters = [spellBackward, wordSorting, letterCounting, wordSequenceReversal];

  it.each(starters)('$name: lead to the answer', (task) => {
    const config = { ...task.defaults, ...(task.starter?.config as typeof task.defaults) };
    for (let index = 0; index < 200; index++) {
      const problem = task.generate(5, 'train', index, config);
      const lines = task.workedAnswer(problem).split('\n').slice(0, -1);
      const last = (lines.at(-1) ?? '').split(' ');
      const { answer } = problem;
      switch (task.name) {
        case 'spell_backward':
          expect(last.map((part) => part.replace(/\d+/, '')).join('')).toBe(answer);
          break;
        case 'word_sorting': {
          const sorted = answer.split(', ');
          expect(last.map((start, i) => sorted[i]?.startsWith(start))).toEqual(sorted.map(() => true));
          expect(new Set(last).size).toBe(sorted.length);
          expect((lines[0] ?? '').split(' ').toSorted()).toEqual(last.toSorted());
          break;
        }
        case 'letter_counting':
          expect(last.at(-1)).toBe(answer);
          break;
        default:
          expect(
            last
              .filter((_, i) => i % 2 === 1)
              .toReversed()
              .join(', '),
          ).toBe(answer);
      }
    }
  });
});
