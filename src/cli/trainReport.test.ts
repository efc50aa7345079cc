import { expect, test } from 'vitest';
import { defaultConfig } from '@rl-playground/run/settings';
import type { EvalResult } from '@rl-playground/run/loop';
import type { RunSnapshot } from '@rl-playground/run/session';
import { stepMetricsWith } from '@rl-playground/run/testing/stepMetrics';
import { evaluationLine } from './evaluationText.ts';
import {
  evalSampleLines,
  finalLines,
  resultRecord,
  rolloutLines,
  stepLine,
  sftLine,
  untrainedLines,
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
    run: null,
    backend: { backend: 'wasm', line: 'CPU, 2 threads', software: true, threads: 2, available: ['wasm'] },
    modelName: 'starter',
    parameterCount: 400_000,
    modelShape: null,
    promptStyle: null,
    modelIsOurs: true,
    baseApart: false,
    config: null,
    step: 12,
    totalSteps: 12,
    sft: { losses: [1.5, 0.25], tokens: [40, 50], total: 2 },
    metrics: [metrics],
    evaluating: [],
    evaluations,
    preflight: null,
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
  expect(stepLine({ ...metrics, accuracy: 0.5, leftOut: 2 }, 8, 'sync')).toContain(
    '3/6 correct 6/6 formatted  left out 2  loss',
  );
});

test('an evaluation states its temperature', () => {
  expect(evaluationLine(evaluation(0, 0.35, 0.5))).toBe(
    '[EVAL   0] 50.0% formatted  sampled 35.0% (18.1–56.7) at temperature 1  20 held-out problems  2.3s',
  );
  expect(evaluationLine({ ...evaluation(0, 1, 1), temperature: 0 })).toContain('greedy');
});

/** 20 problems with as many right first answers and greedy ones, and right ones among four draws, as told. */
function measured(step: number, right: number, greedy: number, within: number): EvalResult {
  return {
    ...evaluation(step, right / 20, 1),
    greedy: { accuracy: greedy / 20, format: 1 },
    passAtK: { k: 4, accuracy: within / 20 },
    samples: Array.from({ length: 20 }, (_, i) => ({
      task: 'sum_digits',
      question: `${i}`,
      answer: '3',
      text: '',
      reason: '',
      extracted: null,
      correct: i < right,
      format: true,
      greedy: { correct: i < greedy, format: true },
      correctDraws: i < within ? 2 : 0,
    })),
  };
}
const SHARPENED = [measured(0, 4, 8, 18), measured(12, 16, 18, 18)] as const;

test('sampled, greedy and pass@k stand side by side, and what the run added to them', () => {
  expect(evaluationLine(SHARPENED[0])).toBe(
    '[EVAL   0] 100.0% formatted  sampled 20.0% (8.1–41.6) at temperature 1  greedy 40.0% (21.9–61.3)  ' +
      'pass@4 90.0% (69.9–97.2)  20 held-out problems  2.3s',
  );
  const lines = finalLines(snapshotWith(SHARPENED), 96).split('\n');
  // Sampled: 12 of 20 problems up, (12 ± 1.96 · √(13 − 144/22)) / 22; greedy 10, pass@4 none.
  expect(lines.slice(1)).toEqual([
    'sampled 20.0% → 80.0%, +60.0 points (+31.9 to +77.2)',
    'greedy 40.0% → 90.0%, +50.0 points (+22.8 to +68.1)',
    'pass@4 90.0% → 90.0%, 0.0 points (−8.9 to +8.9)',
    'format 100.0% → 100.0%',
    '10 problems became right (greedy): 0 had the wrong format before, 10 the right format and a wrong answer; 0 became wrong.',
    'Reinforcement sharpened: single answers are right more often, but 4 tries solve no more problems than before.',
  ]);
});

test('samples are cut to 300 characters in training and 200 in evaluation', () => {
  const rollout = {
    question: 'Q?',
    text: 'x'.repeat(301),
    reward: { total: -1, parts: {}, correct: false, format: true, reason: '', extracted: null },
  };
  expect(rolloutLines(rollout)).toBe(`  Q?\n    ${'x'.repeat(300)}…\n  → wrong, reward -1, formatted`);
  expect(rolloutLines({ ...rollout, reward: { ...rollout.reward, total: 7 / 11 } })).toContain(
    'reward 0.636,',
  );
  const sample = {
    task: 'sum_digits',
    question: 'Q?',
    answer: '3',
    reason: '',
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
    'wall time 40.0s  generations 96  2.4 generations/s\nsampled 35.0% → 90.0%, +55.0 points\nformat 50.0% → 100.0%',
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
    gains: {
      sampled: { difference: 0.9 - 0.35, interval: null },
      greedy: null,
      passAtK: null,
      verdict: null,
    },
    formAndContent: null,
    collapse: null,
    alarms: [],
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
  const lost = resultRecord(snapshotWith([measured(0, 16, 18, 18), measured(12, 4, 4, 18)]), config);
  expect(lost.alarms).toMatchObject([{ id: 'reward-fell', since: 12, until: null }]);
  expect(lost.collapse).toBe('The run has collapsed');
  const { evalBefore, gains } = resultRecord(snapshotWith(SHARPENED), config);
  expect(evalBefore).toMatchObject({
    greedy: { accuracy: 0.4, format: 1 },
    passAtK: { k: 4, accuracy: 0.9 },
  });
  expect(gains).toMatchObject({ verdict: 'sharpened', passAtK: { k: 4, difference: 0 } });
});

test('prompts that were not trained on are printed and recorded with their KL', () => {
  const answers = [
    { prompt: 'Hi!', before: 'Hello.', now: 'Hello.', kl: 0.00123 },
    { prompt: 'Why?', before: 'Because.', now: 'Do you know why?', kl: 0.5 },
  ];
  expect(untrainedLines({ answers, step: 12 }).split('\n')).toEqual([
    'Prompts that it was not trained on, greedy, before → now:',
    '  Hi!  KL 0.0012',
    '    Hello.',
    '  → the same',
    '  Why?  KL 0.5000',
    '    Because.',
    '  →',
    '    Do you know why?',
    '1 of 2 answers are the same as before; KL of now against before is 0.251 nats a token on them.',
  ]);
  const config = defaultConfig('sum_digits');
  expect(resultRecord(snapshotWith([]), config, { untrained: { answers, step: 12 } }).untrained).toEqual(
    answers,
  );
});

test('a warm-up is told in tenths, and its end in any case', () => {
  const told = (total: number) =>
    Array.from({ length: total }, (_, i) => sftLine(i + 1, total, 0.5)).filter((line) => line !== null);
  expect(told(500)).toHaveLength(10);
  expect(told(3)).toHaveLength(3);
  expect(told(25).at(-1)).toBe('[WARM  25] of 25 supervised updates  loss 0.5000');
});
