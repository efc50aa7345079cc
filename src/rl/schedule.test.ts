import { expect, test } from 'vitest';
import { learningRateAt, type LearningRateSchedule } from './schedule.ts';

const rates = (schedule: LearningRateSchedule) =>
  Array.from({ length: schedule.totalSteps }, (_, i) => learningRateAt(i + 1, schedule));

test('constant without warm-up is the peak from the first step on', () => {
  expect(rates({ peak: 0.25, kind: 'constant', warmupSteps: 0, totalSteps: 3 })).toEqual([0.25, 0.25, 0.25]);
});

test('warms up in equal parts, none of them zero: 1/4, 2/4, 3/4 of the peak, then the peak', () => {
  expect(rates({ peak: 4, kind: 'constant', warmupSteps: 3, totalSteps: 6 })).toEqual([1, 2, 3, 4, 4, 4]);
});

test('falls linearly after the warm-up and would reach 0 one step after the last', () => {
  const schedule = { peak: 4, kind: 'linear', warmupSteps: 1, totalSteps: 5 } as const;
  expect(rates(schedule)).toEqual([2, 4, 3, 2, 1]);
  expect(learningRateAt(6, schedule)).toBe(0);
  expect(learningRateAt(99, schedule)).toBe(0);
});

test('a warm-up as long as the run still gives positive rates', () => {
  expect(rates({ peak: 3, kind: 'linear', warmupSteps: 2, totalSteps: 2 })).toEqual([1, 2]);
});
