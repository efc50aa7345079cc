import { expect, it } from 'vitest';
import { secondsOf } from './timing.ts';

/** Work that takes so many seconds of a clock of its own, run for run. */
function clocked(seconds: readonly number[]) {
  let now = 0;
  let runs = 0;
  return {
    now: () => now,
    runs: () => runs,
    work: async () => {
      now += 1000 * (seconds[runs++] ?? seconds.at(-1) ?? 0);
    },
  };
}
const atOnce = <T>(work: () => Promise<T>): Promise<T> => work();

it('leaves out the first run, and repeats as often as it may', async () => {
  const { work, now, runs } = clocked([2, 0.5, 0.25, 0.75]);
  expect(await secondsOf(work, { repeats: 3, seconds: 10 }, atOnce, now)).toEqual([0.5, 0.25, 0.75]);
  expect(runs()).toBe(4);
});

it('begins no repeat once its time is over, and takes the first run where that took all of it', async () => {
  const short = clocked([1, 1]);
  // 1 s for the first, and repeats that begin at 1 and 2 s.
  expect(await secondsOf(short.work, { repeats: 9, seconds: 3 }, atOnce, short.now)).toEqual([1, 1]);
  const long = clocked([7]);
  expect(await secondsOf(long.work, { repeats: 9, seconds: 3 }, atOnce, long.now)).toEqual([7]);
});

it('does not count the wait for a turn, and ends with a turn that is refused', async () => {
  const { work, now } = clocked([1]);
  let turns = 0;
  const refusing = async <T>(one: () => Promise<T>): Promise<T> => {
    if (++turns === 3) throw new Error('A run began.');
    return one();
  };
  await expect(secondsOf(work, { repeats: 9, seconds: 99 }, refusing, now)).rejects.toThrow('A run began.');
  expect(now()).toBe(2000);
});
