import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../config/check.ts';
import { defaultConfig } from '../../config/presets.ts';
import type { EvalResult } from '../../rl/loop/evaluate.ts';
import { stepMetricsWith } from '../../testing/stepMetrics.ts';
import { evalResultFromJson } from './evalFiles.ts';
import { readMetricsLog } from './metricsLog.ts';
import { runDirectory, type RunRecord } from './runDirectory.ts';
import { trainResults } from './trainResults.ts';

const evaluation = (step: number, accuracy: number): EvalResult => ({
  step,
  accuracy,
  format: 0.75,
  n: 20,
  tasks: [],
  temperature: 1,
  seconds: 1,
  samples: [],
});

const step = (number: number, reward: number, loss: number | null) =>
  stepMetricsWith({
    step: number,
    reward,
    loss,
    accuracy: 0.5,
    completions: 16,
    totalTokens: 100 * number,
    rewardParts: [{ part: 'accuracy', mean: reward - 0.25, std: 0.5 }],
  });

const record: RunRecord = {
  config: defaultConfig('reverse_digits', 'default'),
  modelName: 'starter',
  metrics: [step(1, 0.5, -0.5), step(2, 0.75, null), step(3, 1.25, 0.25)],
  evaluations: [evaluation(0, 0.1), evaluation(3, 0.85)],
  wallSeconds: 12,
  rollouts: '{"step":1}\n{"step":2}\n',
  rolloutStepsForgotten: 0,
  checkpoints: [{ step: 2, files: new Map([['model.safetensors', new Uint8Array([2])]]) }],
  finalModel: new Map([
    ['config.json', new Uint8Array([3])],
    ['model.safetensors', new Uint8Array([4])],
  ]),
};

const files = runDirectory(record);
const text = (name: string) => new TextDecoder().decode(files.get(name));

describe('the run directory', () => {
  it('has the files of a run, and models in folders of their own', () => {
    expect([...files.keys()].toSorted()).toEqual([
      'checkpoint-2/model.safetensors',
      'config.json',
      'eval_results/eval_step_0.json',
      'eval_results/eval_step_3.json',
      'final_model/config.json',
      'final_model/model.safetensors',
      'metrics.jsonl',
      'rollouts.jsonl',
      'train_results.json',
    ]);
    expect(files.get('checkpoint-2/model.safetensors')).toEqual(new Uint8Array([2]));
    expect(files.get('final_model/model.safetensors')).toEqual(new Uint8Array([4]));
  });

  it('has the settings of the run as its config.json', () => {
    expect(parseConfig(JSON.parse(text('config.json')))).toEqual({ ok: true, config: record.config });
  });

  it('has a log and evaluations that can be read back', () => {
    expect(readMetricsLog(text('metrics.jsonl'))).toEqual(record.metrics);
    expect(text('metrics.jsonl').trimEnd().split('\n')).toHaveLength(5);
    expect(evalResultFromJson(JSON.parse(text('eval_results/eval_step_3.json')))).toEqual(
      record.evaluations[1],
    );
    expect(text('rollouts.jsonl')).toBe(record.rollouts);
  });
});

describe('train_results.json', () => {
  it('sums the run up', () => {
    expect(JSON.parse(text('train_results.json'))).toMatchObject({
      train_runtime: 12,
      train_samples: 48,
      train_samples_per_second: 4,
      train_steps: 3,
      train_steps_per_second: 0.25,
      train_loss: -0.125,
      num_tokens: 300,
      model: 'starter',
      final: { step: 3, reward: 1.25, rewards: { accuracy: 1 }, correct: 0.5 },
      eval_before: { step: 0, accuracy: 10, format_score: 75, num_correct: 2, num_samples: 20 },
      eval_after: { step: 3, accuracy: 85, num_correct: 17 },
    });
  });

  it('has nulls for a run of nothing', () => {
    const nothing = { ...record, metrics: [], evaluations: [evaluation(0, 0.1)], wallSeconds: 0 };
    expect(trainResults(nothing)).toMatchObject({
      train_samples: 0,
      train_samples_per_second: null,
      train_loss: null,
      num_tokens: null,
      eval_before: { accuracy: 10 },
      eval_after: null,
    });
    expect(JSON.stringify(trainResults(nothing))).not.toContain('NaN');
  });

  it('counts the completions of a log of earlier versions by their length', () => {
    const before = stepMetricsWith({ completions: null, completionTokens: 320, meanLength: 40 });
    expect(trainResults({ ...record, metrics: [before] }).train_samples).toBe(8);
  });
});
