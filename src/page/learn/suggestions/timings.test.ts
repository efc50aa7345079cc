import { expect, it } from 'vitest';
import { stepMetricsWith } from '@rl-playground/run/testing/stepMetrics';
import { secondsPerStep } from './timings.ts';

const steps = (...seconds: readonly number[]) => ({
  metrics: seconds.map((each, i) => stepMetricsWith({ step: i + 1, seconds: each })),
});

it('takes the mean of the steps behind the first two, of which there have to be three', () => {
  expect(secondsPerStep(steps(9, 5, 1, 2))).toBeNull();
  expect(secondsPerStep(steps(9, 5, 1, 2, 3))).toBe(2);
});
