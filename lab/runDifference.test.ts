import { expect, test } from 'vitest';
import { runDifference } from './runDifference.ts';

const run = (...losses: readonly number[]) =>
  losses.map((loss, i) => ({
    step: i + 1,
    loss,
    seconds: Math.random(),
    tasks: [{ task: 'a', reward: loss }],
  }));

const ignored = new Set(['seconds']);

test('what is the same, what is but rounded otherwise, and what is not', () => {
  expect(runDifference(run(1, 2), run(1, 2), ignored)).toEqual({
    exact: ['step', 'loss', 'tasks'],
    close: [],
    apart: [],
  });
  const rounded = runDifference(run(1, 2), run(1, 2 * (1 + 1e-12)), ignored);
  expect(rounded.exact).toEqual(['step']);
  expect(rounded.close.map(({ key }) => key)).toEqual(['loss', 'tasks']);
  expect(rounded.close[0]?.relative).toBeCloseTo(1e-12, 15);
  expect(runDifference(run(1, 2), run(1, 2.1), ignored).apart.map(({ key }) => key)).toEqual([
    'loss',
    'tasks',
  ]);
});

test('a metric that one of them lacks, no number, or a step more is apart', () => {
  const apart = (other: readonly Record<string, unknown>[]) =>
    runDifference([{ step: 1, kl: 0.5 }], other, ignored).apart.map(({ key }) => key);
  expect(apart([{ step: 1 }])).toEqual(['kl']);
  expect(apart([{ step: 1, kl: null }])).toEqual(['kl']);
  expect(apart([{ step: 1, kl: NaN }])).toEqual(['kl']);
  expect(
    apart([
      { step: 1, kl: 0.5 },
      { step: 2, kl: 0.5 },
    ]),
  ).toEqual(['step', 'kl']);
});
