import { expect, it } from 'vitest';
import type { Rollout } from '@rl-playground/run/loop';
import { rolloutWith } from '@rl-playground/run/testing/stepContext';
import { judgedPart, tellingAnswers } from './tellingAnswers.ts';

const answer = (group: number, text: string, total: number, reason: string): Rollout =>
  rolloutWith({
    group,
    text,
    reward: { total, parts: { all: total }, correct: total > 0, format: true, reason, extracted: text },
  });

it('takes the best, the worst and another reason, of the first group whose rewards differ', () => {
  const found = tellingAnswers([
    answer(0, 'same', -1, 'wrong'),
    answer(0, 'other', -1, 'wrong'),
    answer(1, 'a', -1, 'wrong'),
    answer(1, 'b', 1, 'right'),
    answer(1, 'b', 1, 'right'),
    answer(1, 'c', -1, 'right, but no tag'),
    answer(1, 'd', -1, 'wrong'),
  ]);
  expect(found?.answers.map(({ text }) => text)).toEqual(['b', 'd', 'c']);
});

it('shows three answers: a group of three different ones, or one that was written again', () => {
  const alike = [answer(0, 'a', 1, 'right'), answer(0, 'a', 1, 'right'), answer(0, 'b', -1, 'wrong')];
  const three = [answer(1, 'c', 1, 'right'), answer(1, 'd', -1, 'wrong'), answer(1, 'e', -1, 'wrong')];
  const texts = (of: readonly Rollout[]) => tellingAnswers(of)?.answers.map(({ text }) => text);
  expect(texts([...alike, ...three])).toEqual(['c', 'e', 'd']);
  expect(texts(alike)).toEqual(['a', 'b', 'a']);
});

it.each([
  ['short, whole', '123\n[ANSWER] 123', '123', '123\n[ANSWER] 123'],
  [
    'long, the lines up to the number that was read',
    '67 13: 67-67=1\n13 1\n1\n<answer>6</answer>\nand more',
    '6',
    '…1\n<answer>6</answer>…',
  ],
  ['behind a mark, not the same digit further down', '[ANSWER] 2\n2\n222', '2', '[ANSWER] 2…'],
  ['where nothing was read, its end', 'a\nb\nc', null, '…b\nc'],
  ['in one long line, its end', `${'x'.repeat(200)} 17`, '17', `…${'x'.repeat(107)} 17`],
])('shows what of an answer was judged: %s', (_, text, read, shown) => {
  expect(judgedPart(text, read)).toBe(shown);
});

it('takes the first group where none differs, and fewer answers where there are fewer', () => {
  const found = tellingAnswers([answer(0, 'x', 0, 'wrong'), answer(1, 'y', 0, 'wrong')]);
  expect(found?.answers.map(({ text }) => text)).toEqual(['x']);
  expect(tellingAnswers([])).toBeNull();
});
