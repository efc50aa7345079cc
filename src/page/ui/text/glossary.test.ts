import { expect, test } from 'vitest';
import { glossed } from './glossary.ts';

const terms = (text: string): string[] =>
  glossed(text).flatMap((part) => (part.meaning === null ? [] : [part.text]));

test('a text is cut at its terms and is whole again when it is joined', () => {
  const text = 'k1 is unbiased but noisy; k2 and k3 are never negative: nats per token.';
  expect(terms(text)).toEqual(['k1', 'k2', 'k3', 'nats']);
  expect(
    glossed(text)
      .map((part) => part.text)
      .join(''),
  ).toBe(text);
});

test('a term is marked once, as a word of its own alone', () => {
  expect(terms('nats, and nats again')).toEqual(['nats']);
  expect(terms('k12, non-greedy, alternatives, constructor')).toEqual([]);
});
