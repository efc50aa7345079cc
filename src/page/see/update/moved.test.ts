import { expect, test } from 'vitest';
import { answerWords, factorOf, factorText, movedMost, moveText, windowOf } from './moved.ts';

const log = Math.log;

test('a move is told as a factor, and as two probabilities', () => {
  expect(factorOf({ before: log(0.5), after: log(0.6) })).toBeCloseTo(1.2, 12);
  expect(factorText({ before: log(0.5), after: log(0.6) })).toBe('×1.20 as likely');
  expect(factorText({ before: NaN, after: -1 })).toBe('–');
  expect(moveText({ before: log(0.62), after: log(0.0004) })).toBe('62.0% → 0.04%');
  expect(moveText({ before: NaN, after: 0 })).toBe('– → 100.00%');
});

test('the sentence says what the advantage asked for, and whether it came so', () => {
  expect(answerWords({ before: -1, after: -0.5 }, 0.9)).toBe(
    'The step made this answer ×1.65 as likely: log p went from −1.000 to −0.500. Its advantage is above 0, so the update was to make it more likely.',
  );
  expect(answerWords({ before: -1, after: -0.5 }, -0.9)).toContain('It went the other way');
  expect(answerWords({ before: -1, after: -1.5 }, -0.9)).not.toContain('It went the other way');
  expect(answerWords({ before: -1, after: -1.5 }, 0)).toContain('0, so the update did not push it');
  expect(answerWords({ before: -1, after: -1.001 }, 1)).toBe(
    'The step left this answer as likely as it was, log p −1.001. Its advantage is above 0, so the update was to make it more likely.',
  );
  expect(answerWords({ before: NaN, after: -1.5 }, 1)).toContain('no longer kept');
});

test('the token that moved most is found', () => {
  expect(movedMost([0.01, -0.5, NaN, 0.4])).toBe(1);
  expect(movedMost([0.0001, NaN])).toBeNull();
});

test('tokens are drawn so many at a time', () => {
  expect([0, 7, 8, 17].map((at) => windowOf(at, 8))).toEqual([0, 0, 8, 16]);
});
