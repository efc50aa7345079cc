import { describe, expect, it, test } from 'vitest';
import { METRICS } from '../metrics/metrics.ts';
import type { EvalResult } from '../loop/evaluate.ts';
import { distinctStepMetrics } from '../testing/stepMetrics.ts';
import {
  metricsFromRecord,
  metricsRecord,
  readMetricsLog,
  sftRecords,
  writeMetricsLog,
  writeSftLog,
} from './metricsLog.ts';
import { defaultConfig } from '../settings/presets/presets.ts';

const metrics = distinctStepMetrics(3);

const evaluation: EvalResult = {
  step: 3,
  accuracy: 0.85,
  format: 0.95,
  n: 20,
  tasks: [{ task: 'a', reward: 0.5, accuracy: 0.6, format: 1, n: 5, level: null }],
  temperature: 1,
  greedy: { accuracy: 0.9, format: 1 },
  passAtK: { k: 8, accuracy: 0.95 },
  seconds: 2,
  samples: [],
};

describe('the metrics log', () => {
  it('writes every metric under all its names, and the parts of the reward', () => {
    const record = metricsRecord(metrics);
    const expected = METRICS.flatMap(({ key, names }) => names.map((name) => [name, metrics[key]]));
    expect(record).toMatchObject(Object.fromEntries(expected));
    expect(record['step']).toBe(3);
    expect(record['env/all/reward/accuracy']).toBe(3.1);
    expect(record['rewards/accuracy/mean']).toBe(3.1);
    expect(record['rewards/accuracy/std']).toBe(3.2);
    const count = METRICS.flatMap(({ names }) => names).length + 1 + 3;
    expect(Object.keys(record)).toHaveLength(count);
  });

  it('has the names that users of Tinker and TRL know', () => {
    const record = metricsRecord(metrics);
    const pairs = [
      ['env/all/ac_tokens_per_turn', 'completions/mean_length'],
      ['optim/lr', 'learning_rate'],
      ['optim/grad_norm', 'grad_norm'],
      ['time/total', 'step_time'],
      ['env/all/truncated', 'completions/clipped_ratio'],
    ] as const;
    for (const [tinker, trl] of pairs) expect(record[tinker]).toBe(record[trl]);
    expect(record['optim/entropy']).not.toBe(record['entropy']);
    expect(record['env/all/reward/total']).not.toBe(record['reward']);
  });

  it('gives every number back to the bit', () => {
    const steps = [metrics, { ...distinctStepMetrics(4), baseline: 0.1 + 0.2, klPrePostV1: null }];
    expect(readMetricsLog(writeMetricsLog(steps))).toEqual(steps);
    expect(readMetricsLog('')).toEqual([]);
  });

  it('keeps a broken step readable: what is no number comes back as null, or NaN where every step has one', () => {
    const broken = { ...metrics, loss: NaN, gradNorm: Infinity, reward: NaN };
    expect(writeMetricsLog([broken])).toContain('"optim/loss":null');
    const read = { ...metrics, loss: null, gradNorm: null, reward: NaN };
    expect(readMetricsLog(writeMetricsLog([broken]))).toEqual([read]);
  });

  it('reads a metric by the first of its names that is there', () => {
    const { 'env/all/reward/total': reward, 'optim/lr': _tinker, ...rest } = metricsRecord(metrics);
    const record = { ...rest, 'env/all/reward/total': reward ?? null, learning_rate: 0.125 };
    expect(metricsFromRecord(record).learningRate).toBe(0.125);
    expect(metricsFromRecord({ ...record, 'optim/lr': 0.5 }).learningRate).toBe(0.5);
  });

  it('puts evaluations on lines of their own, after their step', () => {
    const text = writeMetricsLog([metrics, distinctStepMetrics(4)], [{ ...evaluation, step: 0 }, evaluation]);
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, number>);
    expect(lines.map(({ step }) => step)).toEqual([0, 3, 3, 4]);
    expect(lines[2]).toMatchObject({
      'eval/step': 3,
      'eval/accuracy': 85,
      'eval/format_score': 95,
      'eval/num_correct': 17,
      'eval/num_samples': 20,
      'eval/greedy_accuracy': 90,
      'eval/greedy_format_score': 100,
      'eval/pass@8': 95,
      'eval/a/accuracy': 60,
      'test/env/all/correct': 0.85,
      'test/env/all/format': 0.95,
      'test/env/a/correct': 0.6,
    });
    expect(readMetricsLog(text)).toEqual([metrics, distinctStepMetrics(4)]);
  });

  it('passes over names it does not know', () => {
    expect(metricsFromRecord({ ...metricsRecord(metrics), 'gpu/watts': 90 })).toEqual(metrics);
  });

  it('keeps the total apart from a part of that name', () => {
    const named = { ...metrics, rewardParts: [{ part: 'total', mean: 0.25, std: 0.5 }] };
    expect(metricsRecord(named)['env/all/reward/total']).toBe(metrics.reward);
    expect(metricsFromRecord(metricsRecord(named))).toEqual(named);
  });

  it('says which line is wrong and why', () => {
    const good = writeMetricsLog([metrics]);
    expect(() => readMetricsLog(`${good}{"step":1}\n`)).toThrow(/line 2: .*no "env\/all\/reward\/total"/);
    expect(() => readMetricsLog(`${good}\n{"step`)).toThrow(/line 3/);
    expect(() => readMetricsLog('[1]')).toThrow(/line 1/);
    expect(() => readMetricsLog(good.replace('"step":3', '"step":"3"'))).toThrow(/numbers/);
  });
});

const CONFIG = { ...defaultConfig('sum_digits'), warmStartSteps: 6, warmStartLearningRate: 1e-3 };

test('the updates count up to step 0, with the rate that each was made with', () => {
  const state = { sftLosses: [3, 2.5, 2, 1.5, 1.25, 1], sftTokens: [10, 11, 12, 13, 14, 15] };
  const records = sftRecords(state, CONFIG);
  expect(records.map(({ step }) => step)).toEqual([-5, -4, -3, -2, -1, 0]);
  expect(records.map((record) => record['sft/step'])).toEqual([1, 2, 3, 4, 5, 6]);
  expect(records.map((record) => record['sft/loss'])).toEqual(state.sftLosses);
  expect(records.map((record) => record['sft/tokens'])).toEqual(state.sftTokens);
  // One update of rise, 1 / 2 of the peak; then 1 − s / 5 of it after s of the 5 others.
  const rates = [0.5e-3, 1e-3, 0.8e-3, 0.6e-3, 0.4e-3, 0.2e-3];
  records.forEach((record, i) => expect(record['sft/lr']).toBeCloseTo(rates[i] ?? NaN, 12));
});

test('a log from before tokens were counted says null, and no reader takes the lines for steps', () => {
  const log = writeSftLog({ sftLosses: [3, 2] }, CONFIG);
  const lines = log.trimEnd().split('\n');
  expect(lines).toHaveLength(2);
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({ step: -4, 'sft/step': 2, 'sft/tokens': null });
  expect(readMetricsLog(log)).toEqual([]);
});

test('a run without a warm-up, or without settings, has no lines', () => {
  expect(writeSftLog({ sftLosses: [] }, CONFIG)).toBe('');
  expect(writeSftLog(null, CONFIG)).toBe('');
  expect(writeSftLog({ sftLosses: [1] }, null)).toBe('');
});
