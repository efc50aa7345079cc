import { describe, expect, it } from 'vitest';
import type { StepMetrics } from '../rl/types.ts';
import { metricsFromRecord, metricsRecord, readMetricsLog, writeMetricsLog } from './metricsLog.ts';

const metrics: StepMetrics = {
  step: 3,
  reward: 0.1,
  rewardStd: 0.9,
  accuracy: 0.55,
  format: 0.6,
  tasks: [],
  kl: 0.012,
  entropy: 1 / 3,
  loss: -0.25,
  gradNorm: 1.5,
  learningRate: 3e-4,
  klSampleTrainV1: -1e-8,
  klSampleTrainV2: 5e-14,
  fracMixed: 0.75,
  completionTokens: 4096,
  meanLength: 32.5,
  truncated: 0.01,
  baseline: null,
  policyVersion: 4,
  seconds: 2.5,
  secondsRollout: 1.5,
  secondsTrain: 0.75,
  secondsSync: 0.25,
};

describe('the metrics log', () => {
  it('uses the names that are known from Tinker', () => {
    expect(metricsRecord(metrics)).toEqual({
      step: 3,
      'env/all/reward/total': 0.1,
      'env/all/reward/std': 0.9,
      'env/all/correct': 0.55,
      'env/all/format': 0.6,
      'env/all/by_group/frac_mixed': 0.75,
      'env/all/ac_tokens_per_turn': 32.5,
      'env/all/total_ac_tokens': 4096,
      'env/all/truncated': 0.01,
      'optim/kl_policy_start': 0.012,
      'optim/entropy': 1 / 3,
      'optim/loss': -0.25,
      'optim/grad_norm': 1.5,
      'optim/lr': 3e-4,
      'optim/kl_sample_train_v1': -1e-8,
      'optim/kl_sample_train_v2': 5e-14,
      'time/total': 2.5,
      'time/rollout': 1.5,
      'time/train': 0.75,
      'time/sync': 0.25,
      policy_version: 4,
      baseline: null,
    });
  });

  it('gives every number back to the bit', () => {
    const steps = [metrics, { ...metrics, step: 4, baseline: 0.1 + 0.2 }];
    expect(readMetricsLog(writeMetricsLog(steps))).toEqual(steps);
    expect(readMetricsLog('')).toEqual([]);
  });

  it('keeps a broken step readable: NaN and infinity come back as NaN', () => {
    const broken = { ...metrics, loss: NaN, gradNorm: Infinity };
    expect(writeMetricsLog([broken])).toContain('"optim/loss":null');
    expect(readMetricsLog(writeMetricsLog([broken]))).toEqual([{ ...metrics, loss: NaN, gradNorm: NaN }]);
  });

  it('passes over names it does not know', () => {
    expect(metricsFromRecord({ ...metricsRecord(metrics), 'gpu/watts': 90 })).toEqual(metrics);
  });

  it('says which line is wrong and why', () => {
    const good = writeMetricsLog([metrics]);
    expect(() => readMetricsLog(`${good}{"step":1}\n`)).toThrow(/line 2: .*no "env\/all\/reward\/total"/);
    expect(() => readMetricsLog(`${good}\n{"step`)).toThrow(/line 3/);
    expect(() => readMetricsLog('[1]')).toThrow(/line 1/);
    expect(() => readMetricsLog(good.replace('"step":3', '"step":"3"'))).toThrow(/numbers/);
  });
});
