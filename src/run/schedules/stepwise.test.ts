/** The two schedules that finish a step before they begin the next. */
import { describe, expect, test } from 'vitest';
import { breathe } from '@rl-playground/engine/parts';
import { heldSource, indicesOf, takeStep } from '../testing/heldSource.ts';

describe('taking turns', () => {
  test.each([1, 2, 3])(
    'asks in the order of the stream, whatever of %i generators is first',
    async (generators) => {
      const held = heldSource('sync', { generators });
      for (const step of [1, 2, 3]) {
        const { groups, ended } = await takeStep(held, step);
        expect(held.pool.calls).toHaveLength(generators);
        for (const call of held.pool.calls.toReversed()) {
          expect(groups).toEqual([]);
          call.finish();
          await breathe();
        }
        expect(await ended).toBe(true);
        expect(indicesOf(groups)).toEqual([0, 1, 2, 3].map((i) => (step - 1) * 4 + i));
        // The draws' coordinates: the step, and the problem's index in it.
        const drawn = groups.map(({ result }) => result.completions.map(({ tokens }) => tokens));
        expect(drawn).toEqual([0, 1, 2, 3].map((i) => [0, 1].map((sample) => [step, i, sample])));
      }
      expect(held.source.takeAskedAgain()).toEqual({ stale: 0, broken: 0 });
    },
  );

  test('asks the same problems again after a stop, and the next ones after a step', async () => {
    const held = heldSource('sync', {
      position: { next: 9, again: [{ index: 3, attempt: 2, level: null }] },
    });
    const stop = new AbortController();
    const first = await takeStep(held, 7, 6, stop.signal);
    held.pool.calls[0]?.finish([0, 1]);
    stop.abort(new Error('Paused.'));
    await expect(first.ended).rejects.toThrow('Paused.');
    expect(first.groups).toEqual([]);
    expect(held.source.position().again.map(({ index }) => index)).toEqual([3, 9, 10, 11]);
    const second = await takeStep(held, 7);
    held.pool.calls[0]?.finish();
    expect(await second.ended).toBe(true);
    expect(indicesOf(second.groups)).toEqual([3, 9, 10, 11]);
    // Problem 3 is in step 1; its third attempt draws as a problem of its own.
    expect(second.groups[0]?.result.completions[0]?.tokens).toEqual([1, 3 + 2 * 4, 0]);
    expect(held.source.position()).toEqual({ next: 12, again: [] });
  });
});

describe('training on groups as they finish', () => {
  test('hands on each group when it is done, and the last one before the step ends', async () => {
    const held = heldSource('stream', { generators: 2 });
    const { groups, ended } = await takeStep(held, 1);
    const [even, odd] = held.pool.calls;
    odd?.finish([1]);
    await breathe();
    expect(indicesOf(groups)).toEqual([3]);
    even?.finish();
    await breathe();
    expect(indicesOf(groups)).toEqual([3, 0, 2]);
    odd?.finish();
    expect(await ended).toBe(true);
    expect(indicesOf(groups)).toEqual([3, 0, 2, 1]);
    expect(groups.every(({ result }) => result.policyVersion === 0)).toBe(true);
    expect(held.source.position()).toEqual({ next: 4, again: [] });
  });

  test('draws as taking turns does', async () => {
    const drawn = async (schedule: 'sync' | 'stream') => {
      const held = heldSource(schedule, { generators: 2 });
      for (const step of [1, 2]) {
        const { ended } = await takeStep(held, step);
        for (const call of held.pool.calls) call.finish();
        await ended;
      }
      return held.pool.asked;
    };
    expect(await drawn('stream')).toEqual(await drawn('sync'));
  });

  test('ends its work where the step is stopped or left, and asks the same problems again', async () => {
    const held = heldSource('stream');
    const stop = new AbortController();
    const stopped = await takeStep(held, 1, 0, stop.signal);
    held.pool.calls[0]?.finish([2]);
    await breathe();
    stop.abort(new Error('Paused.'));
    await expect(stopped.ended).rejects.toThrow('Paused.');
    expect(held.pool.calls).toEqual([]);

    const again = held.source.groups(1, 0, {})[Symbol.asyncIterator]();
    const first = again.next();
    await breathe();
    held.pool.calls[0]?.finish([3]);
    expect((await first).value).toMatchObject({ prompt: { index: 3 } });
    await again.return?.();
    expect(held.pool.calls).toEqual([]);
    expect(held.source.position().again.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
  });

  test('passes on what the pool throws', async () => {
    const held = heldSource('stream');
    const { ended } = await takeStep(held, 1);
    held.pool.calls[0]?.reject(new Error('No weights yet.'));
    await expect(ended).rejects.toThrow('No weights yet.');
  });
});
