import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { throttled } from './throttle.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('commits the first change at once and at most four per second after it', () => {
  const times: number[] = [];
  const start = performance.now();
  const commit = throttled(() => times.push(performance.now() - start), 250);
  for (let change = 0; change < 100; change++) {
    commit();
    vi.advanceTimersByTime(10);
  }
  vi.runAllTimers();
  expect(times).toEqual([0, 250, 500, 750, 1000]);
});

it('commits at once what is urgent, and what waited with it', () => {
  const seen: number[] = [];
  let value = 0;
  const commit = throttled(
    () => seen.push(value),
    250,
    () => value === 3,
  );
  for (value = 1; value <= 3; value++) commit();
  expect(seen).toEqual([1, 3]);
  vi.runAllTimers();
  expect(seen).toEqual([1, 3]);
});

it('never loses the last change', () => {
  let value = 0;
  let seen = -1;
  const commit = throttled(() => (seen = value), 250);
  for (value = 1; value <= 3; value++) commit();
  expect(seen).toBe(1);
  vi.runAllTimers();
  expect(seen).toBe(4);
});
