import { expect, test } from 'vitest';
import { fitting, messagesOf, type Turn } from './turns.ts';

const asked = (content: string, system?: string): Turn['messages'] => [
  ...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
  { role: 'user', content },
];
const TURNS: readonly Turn[] = [
  { messages: asked('one', 'be kind'), answer: 'first' },
  { messages: asked('two', 'be brief'), answer: 'second' },
];

test('a conversation has its own answers between the questions, and one system message', () => {
  expect(
    messagesOf(TURNS, asked('three', 'be late')).map(({ role, content }) => `${role} ${content}`),
  ).toEqual(['system be kind', 'user one', 'assistant first', 'user two', 'assistant second', 'user three']);
  // Without the first turn the second has the system message.
  expect(messagesOf(TURNS.slice(1), asked('three')).map(({ role, content }) => `${role} ${content}`)).toEqual(
    ['system be brief', 'user two', 'assistant second', 'user three'],
  );
});

test('the oldest turns go until prompt and answer have room', () => {
  // Ten tokens a message: 60, 40 without the first turn (one system message each), 20 without both, 10 without a system message.
  const ids = (messages: readonly unknown[]): number[] => messages.flatMap(() => Array<number>(10).fill(1));
  const left = (positions: number, maxTokens = 5): number | undefined =>
    fitting(TURNS, asked('three'), ids, { maxTokens, positions })?.leftOut;
  expect([65, 64, 45, 44, 15].map((positions) => left(positions))).toEqual([0, 1, 1, 2, 2]);
  expect(left(14)).toBeUndefined();
});
