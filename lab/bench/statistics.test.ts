import { expect, test } from 'vitest';
import { median } from '@rl-playground/base/statistics';
import { moreIsBetter, spreadOf, timesFaster } from './statistics.ts';

test('the median is the middle value, or the mean of the two in the middle, in any order', () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([10, 2, 4, 8])).toBe(6);
  expect(median([3])).toBe(3);
  expect(() => median([])).toThrow('no values');
});

test('a spread holds median, least and most', () => {
  expect(spreadOf([7, 3, 4], 'ms')).toEqual({ median: 4, min: 3, max: 7, unit: 'ms' });
});

test('twice the rate and half the time are both twice as fast', () => {
  const rate = (value: number) => spreadOf([value], 'GFLOP/s');
  const time = (value: number) => spreadOf([value], 'ms');
  expect(timesFaster(rate(8), rate(4))).toBe(2);
  expect(timesFaster(time(4), time(8))).toBe(2);
  expect(() => timesFaster(rate(1), time(1))).toThrow('GFLOP/s and ms');
});

test('of rates more is better; of times, sizes and shares less', () => {
  expect(['GFLOP/s', 'rollouts/s'].map(moreIsBetter)).toEqual([true, true]);
  expect(['ms', '%', 'MiB', 'dispatches'].map(moreIsBetter)).toEqual([false, false, false, false]);
});
