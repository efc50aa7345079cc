import { expect, it } from 'vitest';
import type { Rollout } from '@rl-playground/run/loop';
import { rolloutWith } from '@rl-playground/run/testing/stepContext';
import { tellingAnswers } from './tellingAnswers.ts';

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

it('takes the first group where none differs, and fewer answers where there are fewer', () => {
  const found = tellingAnswers([answer(0, 'x', 0, 'wrong'), answer(1, 'y', 0, 'wrong')]);
  expect(found?.answers.map(({ text }) => text)).toEqual(['x']);
  expect(tellingAnswers([])).toBeNull();
});
