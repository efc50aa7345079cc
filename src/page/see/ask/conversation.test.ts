import { expect, test } from 'vitest';
import {
  columnsAt,
  replied,
  stepsToAsk,
  stopped,
  turnsOf,
  WAITING,
  type ChatTurn,
  type Column,
  type Reply,
} from './conversation.ts';

const reply = (text: string, state: Reply['state'] = 'done'): Reply => ({ ...WAITING, text, state });
const turn = (text: string, replies: readonly (readonly [Column, Reply])[]): ChatTurn => ({
  text,
  messages: [{ role: 'user', content: text }],
  replies: new Map(replies),
});
const answers = (turns: readonly ChatTurn[], column: Column): string[] =>
  turnsOf(turns, column).map(({ messages, answer }) => `${messages[0]?.content} ${answer}`);

test('versions that are one are shown as one', () => {
  expect(columnsAt(false, 3)).toEqual(['now']);
  expect(columnsAt(true, null)).toEqual(['before', 'now']);
  expect(columnsAt(true, 3)).toEqual(['before', 3, 'now']);
});

test('each column keeps its own answers, and shares those from before the first update', () => {
  const turns = [
    turn('one', [['now', reply('a')]]),
    turn('two', [
      ['before', reply('b')],
      ['now', reply('c', 'stopped')],
    ]),
  ];
  expect(answers(turns, 'before')).toEqual(['one a', 'two b']);
  expect(answers(turns, 'now')).toEqual(['one a', 'two c']);
  // An earlier step that was not asked the second time begins anew.
  expect(answers(turns, 1)).toEqual([]);
  const failed = [
    ...turns,
    turn('three', [
      ['before', reply('', 'failed')],
      ['now', reply('d')],
    ]),
  ];
  expect(answers(failed, 'before')).toEqual([]);
  expect(answers(failed, 'now')).toEqual(['one a', 'two c', 'three d']);
});

test('a stop keeps what was written', () => {
  const under = [
    turn('one', [['now', reply('a')]]),
    turn('two', [
      ['before', reply('half', 'writing')],
      ['now', WAITING],
    ]),
  ];
  const states = (turns: readonly ChatTurn[]): string[] =>
    turns.flatMap(({ replies }) => [...replies.values()].map(({ state, text }) => `${state} ${text}`));
  expect(states(stopped(under))).toEqual(['done a', 'stopped half', 'failed ']);
  expect(states(replied(under, (column) => (column === 'now' ? { text: 'x' } : null)))).toEqual([
    'done a',
    'writing half',
    'waiting x',
  ]);
});

test('the steps between the first and now can be asked, at most 20 of them', () => {
  expect(stepsToAsk(0)).toEqual([]);
  expect(stepsToAsk(1)).toEqual([]);
  expect(stepsToAsk(3)).toEqual([1, 2]);
  expect(stepsToAsk(101)).toEqual(Array.from({ length: 20 }, (_, i) => 5 * (i + 1)));
});
