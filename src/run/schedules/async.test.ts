import { describe, expect, test } from 'vitest';
import { breathe } from '@rl-playground/engine/parts';
import {
  heldSource,
  indicesOf,
  numbered,
  takeStep,
  type HeldSource,
  type Step,
} from '../testing/heldSource.ts';

/** All generators finish all they are asked until the step has its groups. */
async function finishAll({ pool }: HeldSource, { ended }: Step): Promise<void> {
  let over = false;
  void ended.catch(() => undefined).then(() => (over = true));
  while (!over) {
    for (const call of pool.calls) call.finish();
    await breathe();
  }
  await ended;
}

const agesAt = (version: number, { groups }: Step): number[] =>
  groups.map(({ result }) => version - result.policyVersion);

describe('age', () => {
  /** Two of four groups of version 0 come in only when version `version` is the current one. */
  async function lateGroups(version: number, maxStepsOffPolicy: number) {
    const held = heldSource('async', { generators: 2, maxStepsOffPolicy });
    const first = await takeStep(held, 1);
    const late = held.pool.calls[1];
    expect(late?.version).toBe(0);
    const others = async ({ ended }: Step): Promise<void> => {
      let over = false;
      void ended.then(() => (over = true));
      while (!over) {
        for (const call of held.pool.calls.filter((one) => one !== late)) call.finish();
        await breathe();
      }
    };
    await others(first);
    for (let step = 2; step <= version; step++) await others(await takeStep(held, step));
    const step = await takeStep(held, version + 1);
    late?.finish();
    await finishAll(held, step);
    return { held, late: late?.requests.map(({ problem }) => problem) ?? [], step };
  }

  test.each([1, 2, 3])('of exactly K = %i is trained on, before anything newer', async (K) => {
    const { held, late, step } = await lateGroups(K, K);
    expect(indicesOf(step.groups).slice(0, late.length)).toEqual(late);
    expect(agesAt(K, step).slice(0, late.length)).toEqual(late.map(() => K));
    expect(held.source.takeAskedAgain()).toEqual({ stale: 0, broken: 0 });
  });

  test.each([1, 2, 3])(
    'above K = %i is thrown away, and its problem asked again with other draws',
    async (K) => {
      const { held, late, step } = await lateGroups(K + 1, K);
      expect(step.groups).toHaveLength(4);
      expect(Math.max(...agesAt(K + 1, step))).toBeLessThanOrEqual(K);
      expect(held.source.takeAskedAgain()).toEqual({ stale: late.length, broken: 0 });
      expect(held.source.takeAskedAgain()).toEqual({ stale: 0, broken: 0 });
      const again = held.pool.asked.filter(({ promptIds }) => late.includes(promptIds[0] ?? -1));
      expect(again.map(({ step: drawStep, problem }) => [drawStep, problem])).toEqual([
        ...late.map((index) => [1, index]),
        ...late.map((index) => [1, index + 4]),
      ]);
    },
  );
});

describe('a batch', () => {
  test('holds P groups at every step, none of them twice, and in the end every problem', async () => {
    const held = heldSource('async', { generators: 3, problems: 5, maxStepsOffPolicy: 2 });
    const seen: number[] = [];
    for (let step = 1; step <= 12; step++) {
      const taken = await takeStep(held, step);
      // Generator 0 is slow: its work ends only every fourth step.
      for (let turn = 0; taken.groups.length < 5 && turn < 100; turn++) {
        const able = held.pool.calls.filter(({ generator }) => generator > 0 || step % 4 === 0);
        for (const call of able) call.finish();
        await breathe();
      }
      expect(await taken.ended).toBe(true);
      expect(taken.groups).toHaveLength(5);
      expect(Math.max(...agesAt(step - 1, taken))).toBeLessThanOrEqual(2);
      seen.push(...indicesOf(taken.groups));
    }
    expect(new Set(seen).size).toBe(seen.length);
    const { next, again } = held.source.position();
    expect([...seen, ...again.map(({ index }) => index)].toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: next }, (_, index) => index),
    );
  });

  test('never has more than one other ahead of it, and none with K = 0, whatever the trainer leaves lying', async () => {
    for (const K of [0, 1, 3]) {
      const held = heldSource('async', { generators: 2, maxStepsOffPolicy: K });
      const first = await takeStep(held, 1);
      await finishAll(held, first);
      // The trainer is at work; generators go on until there is no use in more.
      for (let turn = 0; held.pool.calls.length > 0; turn++) {
        expect(turn).toBeLessThan(50);
        for (const call of held.pool.calls) call.finish();
        await breathe();
      }
      expect(held.pool.asked).toHaveLength(K === 0 ? 4 : 8);
    }
  });

  test('goes on being asked for while the trainer works, each generator its part', async () => {
    const held = heldSource('async', { generators: 2 });
    await finishAll(held, await takeStep(held, 1));
    expect(held.pool.calls.map(({ generator, requests }) => [generator, requests.length])).toEqual([
      [0, 2],
      [1, 2],
    ]);
    const second = await takeStep(held, 2);
    held.pool.calls[1]?.finish();
    await breathe();
    // What is under way keeps its weights; what begins takes the newest.
    expect(held.pool.calls[0]).toMatchObject({ generator: 0, version: 0 });
    expect(held.pool.calls[1]).toMatchObject({ generator: 1, version: 1 });
    held.pool.calls[1]?.finish();
    await second.ended;
    expect(agesAt(1, second)).toEqual([1, 1, 0, 0]);
  });

  test('with K = 0 is on-policy, wastes nothing and draws as taking turns does', async () => {
    const asked = async (schedule: 'sync' | 'async') => {
      const held = heldSource(schedule, { generators: 2, maxStepsOffPolicy: 0 });
      for (let step = 1; step <= 5; step++) {
        const taken = await takeStep(held, step);
        await finishAll(held, taken);
        expect(indicesOf(taken.groups)).toEqual([0, 1, 2, 3].map((i) => (step - 1) * 4 + i));
        expect(agesAt(step - 1, taken)).toEqual([0, 0, 0, 0]);
      }
      expect(held.source.takeAskedAgain()).toEqual({ stale: 0, broken: 0 });
      return new Set(
        held.pool.asked.map(({ promptIds, step, problem }) => [promptIds, step, problem].join()),
      );
    };
    expect(await asked('async')).toEqual(await asked('sync'));
  });
});

describe('the level of a problem', () => {
  test('stays as it was first asked, whatever the curriculum says when it is asked again', async () => {
    let level = 2;
    const held = heldSource('async', {
      generators: 2,
      maxStepsOffPolicy: 0,
      promptAt: (place) => numbered({ ...place, level: place.level ?? level }),
    });
    const first = await takeStep(held, 1);
    held.pool.calls[0]?.finish();
    await breathe();
    held.pool.calls[1]?.breakDown();
    level = 5;
    await finishAll(held, first);
    expect(first.groups.map(({ prompt }) => prompt.level)).toEqual([2, 2, 2, 2]);
    const stop = new AbortController();
    const second = await takeStep(held, 2, 1, stop.signal);
    stop.abort(new Error('Paused.'));
    await expect(second.ended).rejects.toThrow('Paused.');
    level = 7;
    const position = held.source.position();
    expect(position.again).toEqual([4, 5, 6, 7].map((index) => ({ index, attempt: 0, level: 5 })));
  });
});

describe('a stop', () => {
  test('ends all work, keeps what is done, and the step can be asked for again', async () => {
    const held = heldSource('async', { generators: 2 });
    const stop = new AbortController();
    const first = await takeStep(held, 1, 0, stop.signal);
    held.pool.calls[0]?.finish([1]);
    await breathe();
    stop.abort(new Error('Paused.'));
    await expect(first.ended).rejects.toThrow('Paused.');
    expect(held.pool.calls).toEqual([]);
    expect(held.source.position()).toEqual({
      next: 4,
      again: [0, 1, 2, 3].map((index) => ({ index, attempt: 0, level: null })),
    });
    const second = await takeStep(held, 1);
    await finishAll(held, second);
    expect(indicesOf(second.groups)).toEqual([0, 1, 2, 3]);
    expect(held.pool.asked.filter(({ promptIds }) => promptIds[0] === 1)).toHaveLength(1);
  });

  test('while a step is trained on gives the same groups once more', async () => {
    const held = heldSource('async', { generators: 2 });
    const first = await takeStep(held, 1);
    await finishAll(held, first);
    await held.source.stop();
    expect(held.pool.calls).toEqual([]);
    const second = await takeStep(held, 1);
    expect(second.groups).toEqual(first.groups);
    const third = await takeStep(held, 2);
    await finishAll(held, third);
    expect(indicesOf(third.groups)).toEqual([4, 5, 6, 7]);
  });

  test('between steps leaves the position from which another source goes on', async () => {
    const held = heldSource('async', { generators: 2 });
    await finishAll(held, await takeStep(held, 1));
    await held.source.stop();
    const position = held.source.position();
    const resumed = heldSource('async', { generators: 2, position });
    const step = await takeStep(resumed, 2);
    await finishAll(resumed, step);
    expect(indicesOf(step.groups)).toEqual([4, 5, 6, 7]);
  });
});

describe('a generator that breaks', () => {
  test('leaves its problems to those that work, and is itself asked once a step', async () => {
    const held = heldSource('async', { generators: 2 });
    let broke = 0;
    const seen: number[] = [];
    for (let step = 1; step <= 4; step++) {
      const taken = await takeStep(held, step);
      for (let turn = 0; taken.groups.length < 4; turn++) {
        expect(turn).toBeLessThan(20);
        for (const call of held.pool.calls) {
          if (call.generator === 1) call.finish();
          else {
            call.breakDown();
            broke++;
          }
        }
        await breathe();
      }
      expect(taken.groups.filter(({ result }) => result.policyVersion < 0)).toEqual([]);
      expect(broke).toBe(step);
      seen.push(...indicesOf(taken.groups));
    }
    expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 16 }, (_, index) => index));
    expect(held.source.takeAskedAgain()).toEqual({ stale: 0, broken: 2 * broke });
    // The draws that broke: that they were lost changes no answer.
    const first = held.pool.asked.filter(({ promptIds }) => promptIds[0] === 0);
    expect(first.map(({ step, problem }) => [step, problem])).toEqual([
      [1, 0],
      [1, 0],
    ]);
  });

  test('is not asked for ever where all break: the batch is handed on after three attempts at each', async () => {
    const held = heldSource('async', { generators: 2, maxStepsOffPolicy: 1 });
    const taken = await takeStep(held, 1);
    for (let turn = 0; held.pool.calls.length > 0; turn++) {
      expect(turn).toBeLessThan(50);
      for (const call of held.pool.calls) call.breakDown();
      await breathe();
    }
    expect(await taken.ended).toBe(true);
    expect(taken.groups).toHaveLength(4);
    const attempts = (index: number): number =>
      held.pool.asked.filter(({ promptIds }) => promptIds[0] === index).length;
    expect([...held.pool.asked.keys()].map(attempts)).toSatisfy((counts: number[]) =>
      counts.every((count) => count <= 3),
    );
    expect(taken.groups.map(({ prompt }) => attempts(prompt.index))).toEqual([3, 3, 3, 3]);
  });

  test('passes on what the pool throws, once, and can be asked again', async () => {
    const held = heldSource('async', { generators: 2 });
    const first = await takeStep(held, 1);
    held.pool.calls[1]?.reject(new Error('No weights yet.'));
    await expect(first.ended).rejects.toThrow('No weights yet.');
    await breathe();
    expect(held.pool.calls).toEqual([]);
    const second = await takeStep(held, 1);
    await finishAll(held, second);
    expect(indicesOf(second.groups)).toEqual([0, 1, 2, 3]);
  });

  test('says where a problem can not be put, and where weights are not taken', async () => {
    const held = heldSource('async', {
      promptAt(place) {
        if (place.index === 2) throw new Error('No such problem.');
        return numbered(place);
      },
    });
    const { ended } = await takeStep(held, 1);
    await expect(ended).rejects.toThrow('No such problem.');

    const stuck = heldSource('async', { maxStepsOffPolicy: 1 });
    const step = await takeStep(stuck, 1, 0);
    await finishAll(stuck, step);
    const late = stuck.source.groups(2, 9, {})[Symbol.asyncIterator]().next();
    late.catch(() => undefined);
    for (let turn = 0; turn < 4; turn++) {
      await breathe();
      for (const call of stuck.pool.calls) call.finish();
    }
    await expect(late).rejects.toThrow(/version 0 although version 9/);
  });
});
