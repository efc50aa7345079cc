/** The rounds after which the caller of kernels works alone. Times are made up, in milliseconds. */
import { expect, test } from 'vitest';
import { Crowding, type SharedRound } from './simdCrowding.ts';

/** The caller computes four of eight parts of a millisecond each, and the other thread the rest meanwhile. */
const SHARED: SharedRound = { worked: 4, took: 4.1, parts: 8, own: 4 };
/** The other thread is stopped while it has one part. */
const STOPPED: SharedRound = { worked: 7, took: 30, parts: 8, own: 7 };

/** Ends that many rounds, one behind the other, and returns the time then. */
function end(crowding: Crowding, round: SharedRound, count: number, from = 0): number {
  let now = from;
  for (let i = 0; i < count; i++) {
    now += round.took;
    crowding.ended(round, now);
  }
  return now;
}

test('threads that share the work are kept', () => {
  const crowding = new Crowding();
  expect(crowding.worksAlone(end(crowding, SHARED, 1000))).toBe(false);
});

test('who waits for longer than all parts would have taken works alone, and tries again after 200 ms', () => {
  const crowding = new Crowding();
  const now = end(crowding, STOPPED, 1);
  expect(crowding.worksAlone(now)).toBe(true);
  expect(crowding.worksAlone(now + 199)).toBe(true);
  expect(crowding.worksAlone(now + 200)).toBe(false);
});

test('a short wait among rounds that spare more than it costs changes nothing', () => {
  const crowding = new Crowding();
  let now = end(crowding, SHARED, 4);
  now = end(crowding, { ...SHARED, took: 8 }, 1, now);
  expect(crowding.worksAlone(now)).toBe(false);
});

test('each time they are no better the caller stays alone for twice as long, 5 s at most; once they are, it begins anew', () => {
  const crowding = new Crowding();
  let now = 0;
  const pauses = Array.from({ length: 7 }, () => {
    now = end(crowding, STOPPED, 1, now);
    const from = now;
    while (crowding.worksAlone(now)) now += 50;
    return now - from;
  });
  expect(pauses).toEqual([200, 400, 800, 1600, 3200, 5000, 5000]);
  now = end(crowding, SHARED, 10, now);
  now = end(crowding, STOPPED, 1, now);
  expect(crowding.worksAlone(now + 199)).toBe(true);
  expect(crowding.worksAlone(now + 200)).toBe(false);
});

test('of rounds in which the caller came to no part nothing is concluded', () => {
  const crowding = new Crowding();
  expect(crowding.worksAlone(end(crowding, { worked: 0, took: 30, parts: 8, own: 0 }, 5))).toBe(false);
});
