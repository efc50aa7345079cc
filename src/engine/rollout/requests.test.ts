import { describe, expect, test } from 'vitest';
import { checkGenerator, dealRequests, PendingRequest } from './requests.ts';
import type { GeneratorPool, GroupRequest, GroupResult, SamplingSettings } from './decoding/types.ts';
import { millisecondsNow } from './clock.ts';

const SAMPLING: SamplingSettings = { temperature: 1, topP: 1, topK: 0, maxTokens: 4, stop: [] };

const requestsOf = (count: number): GroupRequest[] =>
  Array.from({ length: count }, (_, problem) => ({ promptIds: [1], samples: 2, seed: 0, step: 0, problem }));

/** An answer by which it is known. */
const groupOf = (generator: number, { problem }: GroupRequest): GroupResult => ({
  completions: [],
  policyVersion: 100 * generator + problem,
  began: 0,
  ended: 0,
});

/** Generators that report their requests from the last to the first. */
const backwards =
  (asked: number[][]): GeneratorPool['generateOn'] =>
  async (generator, requests, _sampling, options) => {
    asked[generator] = requests.map(({ problem }) => problem);
    await Promise.resolve();
    [...requests].reverse().forEach((request, i) => {
      options?.onProgress?.({ tokens: 10 * (i + 1), finished: 2 * (i + 1), total: 2 * requests.length });
      options?.onGroup?.(requests.indexOf(request), groupOf(generator, request));
    });
    return requests.map((request) => groupOf(generator, request));
  };

describe('dealRequests', () => {
  test.each([1, 3, 4])(
    'deals 7 requests to %i generators in turn, and answers in their order',
    async (size) => {
      const asked: number[][] = [];
      const heard = new Map<number, GroupResult>();
      const requests = requestsOf(7);
      const pool = { size, generateOn: backwards(asked) };
      const groups = await dealRequests(pool, requests, SAMPLING, {
        onGroup(index, group) {
          expect(heard.has(index)).toBe(false);
          heard.set(index, group);
        },
      });
      expect(asked[0]).toEqual([0, 1, 2, 3, 4, 5, 6].filter((problem) => problem % size === 0));
      expect(groups.map(({ policyVersion }) => policyVersion)).toEqual(
        requests.map(({ problem }) => 100 * (problem % size) + problem),
      );
      expect(requests.map((_, index) => heard.get(index))).toEqual(groups);
    },
  );

  test('adds up what generators say of their progress', async () => {
    const seen: unknown[] = [];
    const pool = { size: 2, generateOn: backwards([]) };
    await dealRequests(pool, requestsOf(3), SAMPLING, { onProgress: (progress) => seen.push(progress) });
    expect(seen).toEqual([
      { tokens: 10, finished: 2, total: 6 },
      { tokens: 20, finished: 4, total: 6 },
      { tokens: 30, finished: 6, total: 6 },
    ]);
  });

  test('asks no generator for nothing', async () => {
    const asked: number[][] = [];
    expect(await dealRequests({ size: 3, generateOn: backwards(asked) }, [], SAMPLING, {})).toEqual([]);
    await dealRequests({ size: 3, generateOn: backwards(asked) }, requestsOf(2), SAMPLING, {});
    expect(asked).toEqual([[0], [1]]);
  });

  test('an error is thrown once the other generators are done, the reason of an abort before any other', async () => {
    let done = false;
    const abort = new AbortController();
    const generateOn: GeneratorPool['generateOn'] = async (generator, requests) => {
      if (generator === 0) throw new Error('out of order');
      await new Promise((resolve) => setImmediate(resolve));
      done = true;
      return requests.map((request) => groupOf(generator, request));
    };
    const ask = () =>
      dealRequests({ size: 2, generateOn }, requestsOf(2), SAMPLING, { signal: abort.signal });
    await expect(ask()).rejects.toThrow('out of order');
    expect(done).toBe(true);
    const asked = ask();
    abort.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
  });
});

test('checkGenerator refuses numbers that no generator has', () => {
  for (const generator of [0, 1, 2]) expect(() => checkGenerator(generator, 3)).not.toThrow();
  for (const generator of [-1, 3, 0.5, NaN]) {
    expect(() => checkGenerator(generator, 3)).toThrow(`no generator ${generator}; this pool has 3`);
  }
});

const REQUESTS: GroupRequest[] = [3, 2, 1].map((samples, problem) => ({
  promptIds: [1],
  samples,
  seed: 0,
  step: 0,
  problem,
}));

const GROUP: GroupResult = {
  completions: [1, 2].map((token) => ({ tokens: [token], logprobs: [-1], stopReason: 'eos' })),
  policyVersion: 4,
  began: 10,
  ended: 20,
};

function listened(signal?: AbortSignal) {
  const heard: [number, GroupResult][] = [];
  const onGroup = (index: number, group: GroupResult): void => void heard.push([index, group]);
  return { heard, pending: new PendingRequest(REQUESTS, { onGroup, signal }) };
}

describe('PendingRequest', () => {
  test('resolves with the groups in order, each of which was heard of when it came', async () => {
    const { heard, pending } = listened();
    for (const index of [1, 2, 0]) {
      pending.receive(index, GROUP);
      expect(heard.at(-1)).toEqual([index, GROUP]);
    }
    pending.end('done');
    expect(await pending.groups).toEqual([GROUP, GROUP, GROUP]);
    expect(heard).toHaveLength(3);
  });

  test('groups that never came have failed, and only they are heard of then', async () => {
    const before = millisecondsNow();
    const { heard, pending } = listened();
    pending.receive(1, GROUP);
    pending.end('The device is gone.');
    const groups = await pending.groups;
    expect(groups[1]).toBe(GROUP);
    for (const index of [0, 2]) {
      const { completions, policyVersion, began, ended } = groups[index] as GroupResult;
      expect(policyVersion).toBe(-1);
      expect(completions).toEqual(
        Array.from({ length: REQUESTS[index]?.samples ?? 0 }, () => ({
          tokens: [],
          logprobs: [],
          stopReason: 'error',
          error: 'The device is gone.',
        })),
      );
      expect(began).toBeGreaterThanOrEqual(before);
      expect(ended).toBeGreaterThanOrEqual(began);
    }
    expect(heard.map(([index]) => index)).toEqual([1, 0, 2]);
    expect(heard.map(([, group]) => group)).toEqual([groups[1], groups[0], groups[2]]);
  });

  test('knows what is left, and rejects where that is given up', async () => {
    const { heard, pending } = listened();
    pending.receive(1, GROUP);
    expect(pending.left).toEqual([0, 2].map((index) => [index, REQUESTS[index]]));
    pending.giveUp(new Error('No worker lives.'));
    await expect(pending.groups).rejects.toThrow('No worker lives.');
    expect(heard.map(([index]) => index)).toEqual([1]);
  });

  test('of an aborted request nobody hears what has not come', async () => {
    const abort = new AbortController();
    const { heard, pending } = listened(abort.signal);
    pending.receive(2, GROUP);
    abort.abort();
    pending.end('Stopped.');
    expect(await pending.groups).toHaveLength(3);
    expect(heard.map(([index]) => index)).toEqual([2]);
  });
});
