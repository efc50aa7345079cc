import { describe, expect, test } from 'vitest';
import { millisecondsNow } from './clock.ts';
import { PendingRequest } from './pendingRequest.ts';
import type { GroupRequest, GroupResult } from './types.ts';

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
