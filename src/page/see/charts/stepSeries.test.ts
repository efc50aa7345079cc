import { expect, it } from 'vitest';
import { defaultConfig } from '@rl-playground/run/settings';
import type { KeptRecord } from '@rl-playground/run/kept';
import { stepMetricsWith } from '@rl-playground/run/testing/stepMetrics';
import { armSeries } from './stepSeries.ts';

const record = (...rewards: readonly number[]): KeptRecord => ({
  config: defaultConfig('reverse_digits'),
  metrics: rewards.map((reward, i) => stepMetricsWith({ step: i + 1, reward })),
  evaluations: [],
});

it('draws a run as it is', () => {
  const { points, bands } = armSeries({ records: [record(1, 2)] }, ({ reward }) => reward);
  expect(points).toEqual([
    { step: 1, value: 1 },
    { step: 2, value: 2 },
  ]);
  expect(bands).toBeUndefined();
});

it('draws seeds as their mean and Student’s interval, where all have the step', () => {
  const { points, bands } = armSeries(
    { records: [record(1, 5), record(2), record(3, 9)] },
    ({ reward }) => reward,
  );
  expect(points).toEqual([{ step: 1, value: 2 }]);
  const [low, high] = bands?.[0] ?? [];
  // t(0.975, 2) = 4.30265, s = 1, n = 3.
  expect(low).toBeCloseTo(2 - 4.30265 / Math.sqrt(3), 4);
  expect(high).toBeCloseTo(2 + 4.30265 / Math.sqrt(3), 4);
});

it('keeps the interval of shares between none and all', () => {
  const records = [record(0), record(1), record(1)];
  const { bands } = armSeries({ records }, ({ reward }) => reward, { isShare: true });
  expect(bands).toEqual([[0, 1]]);
});
