import { expect, test } from 'vitest';
import { StepClock } from './learn.ts';

/** A clock and generators that say what they are told to. */
function told() {
  const state = { milliseconds: 1000, busy: 5 };
  const clock = new StepClock(
    () => state.milliseconds,
    () => state.busy,
  );
  /** Time goes by, in which generators work for so many seconds in all. */
  const pass = (milliseconds: number, busy = 0): Promise<void> => {
    state.milliseconds += milliseconds;
    state.busy += busy;
    return Promise.resolve();
  };
  return { clock, pass };
}

test('a step is the sum of its stages and of what lies between them', async () => {
  const { clock, pass } = told();
  clock.begin();
  await clock.time('reward', () => pass(100));
  await pass(50);
  await clock.time('train', () => pass(300, 0.5));
  await clock.time('train', () => pass(100));
  await clock.time('sync', () => pass(25));
  expect(clock.end()).toEqual({
    total: 0.575,
    rollout: 0,
    reward: 0.1,
    train: 0.4,
    sync: 0.025,
    trainerBusy: 0.525,
    generatorsBusy: 0.5,
  });
});

test('waiting for items is a stage, working on them is not', async () => {
  const { clock, pass } = told();
  async function* items(): AsyncGenerator<number> {
    await pass(200, 0.25);
    yield 1;
    await pass(300, 0.25);
    yield 2;
  }
  clock.begin();
  const seen: number[] = [];
  for await (const item of clock.waiting(items(), 'rollout')) {
    seen.push(item);
    await clock.time('train', () => pass(1000, 2));
  }
  expect(seen).toEqual([1, 2]);
  expect(clock.end()).toMatchObject({ total: 2.5, rollout: 0.5, train: 2, generatorsBusy: 4.5 });
});

test('what generators do between two steps is in neither', async () => {
  const { clock, pass } = told();
  await pass(9000, 9);
  clock.begin();
  await clock.time('rollout', () => pass(500, 0.5));
  expect(clock.end()).toMatchObject({ total: 0.5, generatorsBusy: 0.5 });
  await pass(4000, 4);
  clock.begin();
  await clock.time('train', () => pass(250));
  expect(clock.end()).toMatchObject({ total: 0.25, generatorsBusy: 0, rollout: 0 });
});
