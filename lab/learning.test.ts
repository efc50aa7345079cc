import { expect, test } from 'vitest';
import { missed, row, type Run } from './learning.ts';

const evaluation = (accuracy: number, greedy: number) => ({
  accuracy,
  format: 1,
  n: 300,
  temperature: 1,
  greedy: { accuracy: greedy, format: 1 },
  passAtK: { k: 8, accuracy: 0.9 },
});

const run = (greedyAfter: number): Run => ({
  task: 'chain_sum',
  seed: 4,
  exitCode: 0,
  record: {
    task: 'chain_sum',
    adapter: 'CPU',
    seed: 4,
    steps: 60,
    evalBefore: { ...evaluation(0.5, 0.6), wrongWorking: { share: 0.25, n: 150 } },
    evalAfter: { ...evaluation(0.8, greedyAfter), wrongWorking: { share: 0.375, n: 240 } },
    gains: { verdict: 'sharpened' },
    curve: [{ kl: 0.1234 }],
    collapse: null,
    wallSeconds: 61.4,
  },
});

test('a run is a row with its three accuracies, and what it lacks to its goals', () => {
  expect(row(run(0.8))).toMatch(
    /^\| chain_sum \| 4 \| 60 \| 0\.500 → 0\.800 \| 0\.600 → 0\.800 \| 0\.900 → 0\.900 \(k 8\) \| 1\.000 → 1\.000 \| 0\.25 → 0\.38 \| sharpened \| 0\.12\d \| 0\.123 \| 61 s \| reached \|$/,
  );
  expect(missed(run(0.8))).toEqual([]);
  expect(missed(run(0.7))).toEqual(['greedy rose by less than 0.15', 'not surely by 0.05']);
});

test('a run that failed, and one without its last evaluation, have fallen short', () => {
  const failed = { ...run(0.8), exitCode: 1 };
  expect(missed(failed)).toEqual(['ended with exit code 1']);
  const { evalAfter: _after, ...cut } = run(0.8).record as object & { evalAfter: unknown };
  const stopped = { ...run(0.8), record: { ...cut, evalAfter: null } };
  expect(missed(stopped)).toEqual(['was not evaluated']);
  // As many cells as a whole one.
  expect(row(stopped).split('|')).toHaveLength(row(run(0.8)).split('|').length);
});
