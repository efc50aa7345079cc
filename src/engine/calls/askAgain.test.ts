import { expect, test } from 'vitest';
import type { GenerateOptions, GroupRequest, GroupResult } from '../rollout/decoding/types.ts';
import { askedInFull, MOST_ASKED } from './askAgain.ts';

const REQUESTS: readonly GroupRequest[] = [0, 1, 2, 3, 4].map((problem) => ({
  promptIds: [problem],
  samples: 2,
  seed: 7,
  step: 3,
  problem,
}));

/** `fails(problem, round)` is the number of its two answers that break. */
function asking(fails: (problem: number, round: number) => number) {
  const asked: number[][] = [];
  const heard: [number, GroupResult][] = [];
  const finished: number[] = [];
  const ask = (
    requests: readonly GroupRequest[],
    { onGroup, onProgress }: GenerateOptions,
    round: number,
  ): Promise<GroupResult[]> => {
    asked.push(requests.map(({ problem }) => problem));
    const groups = requests.map(({ promptIds, seed, step, problem, samples }): GroupResult => ({
      policyVersion: 1,
      began: 0,
      ended: 0,
      completions: Array.from({ length: samples }, (_, sample) =>
        sample < fails(problem, round)
          ? { tokens: [], logprobs: [], stopReason: 'error', error: 'out of order' }
          : { tokens: [...promptIds, seed, step, sample], logprobs: [0, 0, 0, 0], stopReason: 'eos' },
      ),
    }));
    // The last one first, as generators may.
    for (const [i, group] of [...groups.entries()].toReversed()) onGroup?.(i, group);
    onProgress?.({ tokens: 1, finished: 2 * requests.length, total: 2 * requests.length });
    return Promise.resolve(groups);
  };
  const groups = askedInFull(ask, REQUESTS, {
    onGroup: (index, group) => heard.push([index, group]),
    onProgress: (progress) => {
      expect(progress.total).toBe(10);
      finished.push(progress.finished);
    },
  });
  return { asked, heard, finished, groups };
}

test('groups without an answer, or without one of them, are asked again alone, and the result is as if nothing had broken', async () => {
  const undisturbed = await asking(() => 0).groups;
  const made = asking((problem, round) => (round < Math.min(problem - 1, 2) ? Math.min(problem - 1, 2) : 0));
  expect(await made.groups).toEqual(undisturbed);
  expect(made.asked).toEqual([
    [0, 1, 2, 3, 4],
    [2, 3, 4],
    [3, 4],
  ]);
  expect(made.heard.map(([index]) => index).toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4]);
  for (const [index, group] of made.heard) expect(group).toEqual(undisturbed[index]);
  expect(made.finished).toEqual([10, 10, 10]);
});

test('what nobody can answer is handed on after three rounds as it is', async () => {
  const made = asking((problem) => (problem === 3 ? 2 : 0));
  const groups = await made.groups;
  expect(made.asked).toEqual([[0, 1, 2, 3, 4], ...Array.from({ length: MOST_ASKED - 1 }, () => [3])]);
  expect(groups[3]?.completions.map(({ error }) => error)).toEqual(['out of order', 'out of order']);
  expect(made.heard.map(([index]) => index)).toEqual([4, 2, 1, 0, 3]);
});

test('an error of the call ends it', async () => {
  const ask = () => Promise.reject(new Error('No weights yet.'));
  await expect(askedInFull(ask, REQUESTS, {})).rejects.toThrow('No weights yet.');
});

test('a pool is told to report groups only where the caller wants to hear of them', async () => {
  const told: boolean[] = [];
  const ask = (requests: readonly GroupRequest[], { onGroup }: GenerateOptions): Promise<GroupResult[]> => {
    told.push(onGroup !== undefined);
    return Promise.resolve(requests.map(() => ({ policyVersion: 1, began: 0, ended: 0, completions: [] })));
  };
  await askedInFull(ask, REQUESTS, {});
  await askedInFull(ask, REQUESTS, { onGroup: () => undefined });
  expect(told).toEqual([false, true]);
});
