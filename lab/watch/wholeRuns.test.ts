import { expect, test } from 'vitest';
import { defaultConfig } from '@rl-playground/run/settings';
import type { EvalResult } from '@rl-playground/run/loop';
import type { ReportRun } from '@rl-playground/bridges/report/input';
import { distinctStepMetrics } from '@rl-playground/run/testing/stepMetrics';
import { wholeRunsReport } from './wholeRuns.ts';

/** An evaluation of 100 problems, the first `right` of which are answered. */
function evaluation(step: number, right: number): EvalResult {
  const samples = Array.from({ length: 100 }, (_, index) => ({
    index,
    correct: index < right,
    greedy: { correct: index < right },
  }));
  const shares = { accuracy: right / 100, format: 0.5 };
  return { step, n: 100, ...shares, greedy: shares, samples, temperature: 1 } as unknown as EvalResult;
}

const run = (name: string, task: string, after: number, seed = 0): ReportRun => ({
  name,
  config: { ...defaultConfig(task), seed },
  metrics: [distinctStepMetrics(1, 1)],
  evaluations: [evaluation(0, 30), evaluation(1, after)],
  wallSeconds: null,
  note: '',
});

test('alarms of evaluations count, by task, and pairs of neighbouring seeds are compared', () => {
  const [a, b, c] = [run('a', 'gcd', 31, 3), run('b', 'gcd', 7, 2), run('c', 'count_bits', 29)] as const;
  expect(wholeRunsReport([a, b, c]).split('\n').slice(2)).toEqual([
    '| gcd | 2 | 1 | 2 | 1 | 1 of 1 |',
    '| count_bits | 1 | 1 | 2 | 0 | 0 of 0 |',
    '',
    'b: reward-fell from step 1 to the end',
  ]);
});
