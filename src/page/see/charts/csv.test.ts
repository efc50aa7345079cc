import { expect, it } from 'vitest';
import type { EvalResult } from '@rl-playground/run/loop';
import { stepMetricsWith } from '@rl-playground/run/testing/stepMetrics';
import { csvOf, seriesTable, stepTable } from './csv.ts';
import { SHARES, type ChartSpec } from './specs/spec.ts';

const spec: ChartSpec = {
  id: 'reward',
  title: 'Reward',
  unit: '',
  reading: '',
  metrics: ['reward'],
  curves: [
    {
      name: 'this step',
      colour: 'blue',
      value: ({ reward }) => reward,
      spread: ({ rewardStd }) => rewardStd,
      evaluation: ({ accuracy }) => accuracy,
    },
  ],
  ...SHARES,
};

const steps = (...rewards: readonly number[]) =>
  rewards.map((reward, i) => stepMetricsWith({ step: i + 1, reward, rewardStd: reward / 10 }));

const evaluation = (step: number, accuracy: number): EvalResult => ({ step, accuracy }) as EvalResult;

it('has raw values of every run and step, and evaluations in the row of their step', async () => {
  const table = stepTable(spec, [
    {
      name: 'this run',
      seed: 1,
      metrics: steps(0.1, NaN),
      evaluations: [evaluation(0, 0.5), evaluation(2, 1)],
    },
    { name: '=cmd, "2"', seed: 2, metrics: steps(-0.3), evaluations: [] },
  ]);
  expect(table.columns).toEqual(['run', 'seed', 'step', 'Reward', 'Reward std', 'Reward held-out']);
  expect((await csvOf(table)).split('\r\n').slice(1)).toEqual([
    'this run,1,0,,,0.5',
    'this run,1,1,0.1,0.01,',
    'this run,1,2,,,1',
    '"\'=cmd, ""2""",2,1,-0.3,-0.03,',
  ]);
});

it('has the points of curves by their position, and the ends of bands', () => {
  const value = () => null;
  const curves = ['before', 'step 9'].map((name) => ({ name, colour: 'blue', value }));
  const axis = { name: 'k', at: String };
  expect(
    seriesTable({ ...spec, curves, axis }, [
      {
        points: [
          { step: 1, value: 0.5 },
          { step: 2, value: 0.75 },
        ],
        bands: [
          [0.25, 0.625],
          [0.5, 1],
        ],
      },
      { points: [{ step: 2, value: 1 }] },
    ]),
  ).toEqual({
    columns: ['k', 'before', 'before, low', 'before, high', 'step 9'],
    rows: [
      [1, 0.5, 0.25, 0.625, null],
      [2, 0.75, 0.5, 1, 1],
    ],
  });
});
