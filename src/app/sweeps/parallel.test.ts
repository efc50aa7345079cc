import { expect, test } from 'vitest';
import type { Measure, SweepRow } from '../../run/sweeps/sweepTable.ts';
import { parallelAxes } from './parallel.ts';

const measured = (after: number | null): Measure => ({
  before: null,
  after: after === null ? null : { mean: after, interval: null },
  rise: null,
});
const row = (rate: number, loss: string, after: number | null): SweepRow => ({
  task: 'gcd',
  settings: { learningRate: rate, loss },
  runs: [],
  n: 1,
  alarmed: 0,
  k: null,
  greedy: measured(after),
  sampled: measured(null),
  passAtK: measured(null),
});

test('numbers stand in order at equal distances, words as they come, outcomes by their size', () => {
  const rows = [row(1e-3, 'grpo', 0.2), row(1e-4, 'ppo', 0.6), row(3e-4, 'grpo', 0.3), row(1e-4, 'x', null)];
  const found = parallelAxes(rows, ['learningRate', 'loss'], 'greedy', 'greedy after');
  expect(found?.rows).toHaveLength(3);
  expect(found?.axes.map(({ name }) => name)).toEqual(['learningRate', 'loss', 'greedy after']);
  expect(found?.axes[0]).toMatchObject({
    ticks: [
      { text: '0.0001', at: 0 },
      { text: '0.0003', at: 0.5 },
      { text: '0.001', at: 1 },
    ],
    at: [1, 0, 0.5],
  });
  expect(found?.axes[1]?.at).toEqual([0, 1, 0]);
  expect(found?.axes[2]?.at).toEqual([0, 1, expect.closeTo(0.25, 12)]);
  expect(found?.axes[2]?.ticks.map(({ text }) => text)).toEqual(['0.200', '0.400', '0.600']);
  expect(parallelAxes(rows, ['learningRate'], 'sampled', 'sampled after')).toBeNull();
});
