import { expect, test } from 'vitest';
import { defaultConfig } from '../src/config/presets.ts';
import type { EvalResult } from '../src/rl/loop/evaluate.ts';
import type { RunSnapshot } from '../src/run/types.ts';
import { stepMetricsWith } from '../src/testing/stepMetrics.ts';
import {
  evalSampleLines,
  evaluationLine,
  finalLines,
  resultRecord,
  rolloutLines,
  stepLine,
  sftLine,
} from './trainReport.ts';

const metrics = stepMetricsWith({
  step: 12,
  reward: 0.25,
  accuracy: 0.625,
  format: 1,
  kl: 0.00123,
  entropy: 0.5,
  loss: -0.01234,
  gradNorm: 0.75,
  completionTokens: 321,
  meanLength: 40,
  seconds: 1.5,
  secondsRollout: 0.512,
  secondsTrain: 0.7,
  secondsSync: 0.033,
});

function evaluation(step: number, accuracy: number, format: number): EvalResult {
  return { step, accuracy, format, n: 20, tasks: [], temperature: 1, seconds: 2.34, samples: [] };
}

function snapshotWith(evaluations: readonly EvalResult[]): RunSnapshot {
  return {
    phase: 'finished',
    backend: { backend: 'wasm', line: 'CPU, 2 threads', software: true, threads: 2, available: ['wasm'] },
    modelName: 'starter',
    parameterCount: 400_000,
    modelShape: null,
    modelIsOurs: true,
    baseApart: false,
    config: null,
    step: 12,
    totalSteps: 12,
    sft: { losses: [1.5, 0.25], tokens: [40, 50], total: 2 },
    metrics: [metrics],
    evaluations,
    rollouts: [],
    progress: null,
    notices: [],
    wallSeconds: 40,
  };
}

test('a step is one line in the style of the Monarch experiment', () => {
  expect(stepLine(metrics, 8, 'sync')).toBe(
    '[SYNC  12] 5/8 correct 8/8 formatted  loss -0.0123  reward 0.25  kl 0.0012  gen 512ms  train 733ms',
  );
  const overlapping = { ...metrics, trainerBusyShare: 0.604, generatorsBusyShare: null, loss: null };
  const line = stepLine(overlapping, 8, 'async');
  expect(line).toContain('[ASYNC  12]');
  expect(line).toContain('loss –');
  expect(line).toContain('busy gen – train 60%');
});

test('an evaluation states its temperature', () => {
  expect(evaluationLine(evaluation(0, 0.35, 0.5))).toBe(
    '[EVAL   0] 35.0% correct  50.0% formatted  20 held-out problems  temperature 1  2.3s',
  );
  expect(evaluationLine({ ...evaluation(0, 1, 1), temperature: 0 })).toContain('greedy');
});

test('samples are cut to 300 characters in training and 200 in evaluation', () => {
  const rollout = {
    question: 'Q?',
    text: 'x'.repeat(301),
    reward: { total: -1, parts: {}, correct: false, format: true, extracted: null },
  };
  expect(rolloutLines(rollout)).toBe(`  Q?\n    ${'x'.repeat(300)}…\n  → wrong, reward -1, formatted`);
  const sample = {
    task: 'sum_digits',
    question: 'Q?',
    answer: '3',
    extracted: null,
    correct: false,
    format: false,
  };
  expect(evalSampleLines({ ...sample, text: 'y'.repeat(201) })).toBe(
    `  Q?\n    ${'y'.repeat(200)}…\n  → read nothing, expected 3`,
  );
  expect(evalSampleLines({ ...sample, text: 'y'.repeat(200), extracted: '3' })).toBe(
    `  Q?\n    ${'y'.repeat(200)}\n  → read 3, expected 3`,
  );
});

test('the end: wall time, generations and what changed', () => {
  const text = finalLines(snapshotWith([evaluation(0, 0.35, 0.5), evaluation(12, 0.9, 1)]), 96);
  expect(text).toBe(
    'wall time 40.0s  generations 96  2.4 generations/s\naccuracy 35.0% → 90.0%  format 50.0% → 100.0%',
  );
});

test('the results as JSON', () => {
  const config = { ...defaultConfig('sum_digits'), seed: 7 };
  const record = resultRecord(snapshotWith([evaluation(0, 0.35, 0.5), evaluation(12, 0.9, 1)]), config);
  expect(record).toEqual({
    task: 'sum_digits',
    model: 'starter',
    sft: [1.5, 0.25],
    backend: 'wasm',
    adapter: 'CPU, 2 threads',
    seed: 7,
    steps: 1,
    evalBefore: { accuracy: 0.35, format: 0.5, n: 20, temperature: 1 },
    evalAfter: { accuracy: 0.9, format: 1, n: 20, temperature: 1 },
    curve: [
      {
        step: 12,
        reward: 0.25,
        accuracy: 0.625,
        format: 1,
        kl: 0.00123,
        entropy: 0.5,
        gradNorm: 0.75,
        tokens: 321,
        seconds: 1.5,
      },
    ],
    wallSeconds: 40,
  });
  expect(resultRecord(snapshotWith([evaluation(0, 0.35, 0.5)]), config).evalAfter).toBeNull();
});

test('a warm start is told in tenths, and its end in any case', () => {
  const told = (total: number) =>
    Array.from({ length: total }, (_, i) => sftLine(i + 1, total, 0.5)).filter((line) => line !== null);
  expect(told(500)).toHaveLength(10);
  expect(told(3)).toHaveLength(3);
  expect(told(25).at(-1)).toBe('[WARM  25] of 25 supervised updates  loss 0.5000');
});
