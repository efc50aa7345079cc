import { expect, test } from 'vitest';
import { millisecondsNow, Stopwatch } from './clock.ts';

function spin(milliseconds: number): void {
  const began = performance.now();
  while (performance.now() - began < milliseconds);
}

test('millisecondsNow counts since 1970 and does not stand still', () => {
  const first = millisecondsNow();
  expect(Math.abs(first - Date.now())).toBeLessThan(1000);
  spin(2);
  expect(millisecondsNow() - first).toBeGreaterThanOrEqual(2);
});

test('a stopwatch counts while it runs and not between, and starting it twice counts once', () => {
  const watch = new Stopwatch();
  spin(5);
  expect(watch.seconds).toBe(0);
  watch.start();
  spin(3);
  watch.start();
  expect(watch.seconds).toBeGreaterThanOrEqual(0.003);
  watch.stop();
  const counted = watch.seconds;
  spin(3);
  watch.stop();
  expect(watch.seconds).toBe(counted);
  watch.start();
  spin(3);
  watch.stop();
  expect(watch.seconds).toBeGreaterThanOrEqual(counted + 0.003);
});
