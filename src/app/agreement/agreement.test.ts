import { expect, test } from 'vitest';
import { stepMetricsWith } from '../../testing/stepMetrics.ts';
import { agreementOf } from './agreement.ts';

const step = (mismatchMax: number | null, mismatchExact: number | null, mismatchTokens: number | null) =>
  stepMetricsWith({ mismatchMax, mismatchExact, mismatchTokens });

test('takes the largest difference of all steps, and the share of all their tokens that have none', () => {
  const steps = [step(2e-6, 10, 100), step(5e-6, 0, 300), step(1e-6, 40, 100)];
  expect(agreementOf(steps)).toEqual({ greatest: 5e-6, exact: 0.1, tokens: 500 });
  expect(agreementOf(steps.slice(-1))).toEqual({ greatest: 1e-6, exact: 0.4, tokens: 100 });
});

test('is null before a token was compared, and passes steps over that compared none', () => {
  expect(agreementOf([])).toBeNull();
  expect(agreementOf([step(null, null, null), step(0, 0, 0)])).toBeNull();
  expect(agreementOf([step(null, null, null), step(0, 7, 7)])).toEqual({ greatest: 0, exact: 1, tokens: 7 });
});
