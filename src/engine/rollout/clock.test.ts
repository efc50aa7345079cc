import { expect, onTestFinished, test, vi } from 'vitest';
import { millisecondsNow, Stopwatch } from './clock.ts';

/** A clock that a test sets. */
function heldClock(): { now: number } {
  const clock = { now: 1000 };
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => clock.now);
  onTestFinished(() => spy.mockRestore());
  return clock;
}

test('millisecondsNow counts since 1970, on a clock that can not be set', () => {
  const clock = heldClock();
  expect(millisecondsNow()).toBe(performance.timeOrigin + 1000);
  clock.now += 2.5;
  expect(millisecondsNow()).toBe(performance.timeOrigin + 1002.5);
});

test('a stopwatch counts while it runs and not between, and starting it twice counts once', () => {
  const clock = heldClock();
  const watch = new Stopwatch();
  clock.now += 5000;
  expect(watch.seconds).toBe(0);
  watch.start();
  clock.now += 3000;
  watch.start();
  expect(watch.seconds).toBe(3);
  clock.now += 1000;
  watch.stop();
  expect(watch.seconds).toBe(4);
  clock.now += 3000;
  watch.stop();
  expect(watch.seconds).toBe(4);
  watch.start();
  clock.now += 500;
  watch.stop();
  expect(watch.seconds).toBe(4.5);
});
