import { expect, it } from 'vitest';
import { forkOf, partingOf } from './fork.ts';

const answer = (group: number, advantage: number, tokens: number[], shares: number[]) => ({
  group,
  advantage,
  tokens,
  logprobs: shares.map((share) => Math.log(share)),
  promptIds: [100 + group],
});

const ANSWERS = [
  answer(0, 1, [5, 6, 7], [0.9, 0.5, 0.4]),
  // It parts from the first at its second token, of which this one was unlikely.
  answer(0, -1, [5, 8, 7], [0.9, 0.02, 1]),
  // And this one at its third, where both were as likely as not.
  answer(0, -1, [5, 6, 9], [0.9, 0.5, 0.6]),
  // No token of its own: it only ends earlier.
  answer(0, -1, [5, 6], [0.9, 0.5]),
  answer(1, -1, [5, 6, 1], [1, 1, 1]),
  answer(1, 0, [1], [1]),
];

it('finds where a better and a worse answer to one problem part, at the most even of these places', () => {
  expect(partingOf(ANSWERS)).toEqual({ better: ANSWERS[0], worse: ANSWERS[2], at: 2 });
  expect(partingOf(ANSWERS.slice(3))).toBeNull();
});

it('reads both tokens before and after, behind the prompt and what the answers share', async () => {
  const asked: unknown[] = [];
  const fork = await forkOf(ANSWERS, {
    textOf: (tokens) => tokens.map((token) => (token === 9 ? '\n' : `t${token} `)).join(''),
    logprob: (before, token) => {
      asked.push([before, token]);
      return Promise.resolve(Math.log(token === 7 ? 0.8 : 0.1));
    },
  });
  expect(asked).toEqual([
    [[100, 5, 6], 7],
    [[100, 5, 6], 9],
  ]);
  expect(fork?.beginning).toBe('t5 t6');
  expect(fork?.better.text).toBe('t7');
  expect(fork?.worse.text).toBe('new line');
  expect([fork?.better.before, fork?.better.after]).toEqual([expect.closeTo(0.4), expect.closeTo(0.8)]);
  expect([fork?.worse.before, fork?.worse.after]).toEqual([expect.closeTo(0.6), expect.closeTo(0.1)]);
});
