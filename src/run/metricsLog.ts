/** Step metrics as lines of `metrics.jsonl`, under the names of Tinker's logs where those exist. */
import { messageOf } from '../hub/errors.ts';
import { z } from 'zod';
import type { StepMetrics } from '../rl/types.ts';
import { taskRecord, tasksFromRecord } from './taskRecord.ts';

/** Names are `group/name`; `step` and what belongs to no group stand alone. */
const METRIC_NAMES = {
  step: 'step',
  reward: 'env/all/reward/total',
  rewardStd: 'env/all/reward/std',
  accuracy: 'env/all/correct',
  format: 'env/all/format',
  kl: 'optim/kl_policy_start',
  entropy: 'optim/entropy',
  loss: 'optim/loss',
  gradNorm: 'optim/grad_norm',
  learningRate: 'optim/lr',
  klSampleTrainV1: 'optim/kl_sample_train_v1',
  klSampleTrainV2: 'optim/kl_sample_train_v2',
  fracMixed: 'env/all/by_group/frac_mixed',
  completionTokens: 'env/all/total_ac_tokens',
  meanLength: 'env/all/ac_tokens_per_turn',
  truncated: 'env/all/truncated',
  baseline: 'baseline',
  policyVersion: 'policy_version',
  seconds: 'time/total',
  secondsRollout: 'time/rollout',
  secondsTrain: 'time/train',
  secondsSync: 'time/sync',
} as const satisfies Record<SingleMetric, string>;

/** `tasks` is several numbers a task, in names of their own. */
type SingleMetric = Exclude<keyof StepMetrics, 'tasks'>;

export type MetricsRecord = Record<string, number | null>;

const recordSchema = z.record(z.string(), z.number().nullable());

/** JSON has no NaN or infinity: both become null. */
export function metricsRecord(metrics: StepMetrics): MetricsRecord {
  const { tasks, ...single } = metrics;
  const entries = new Map<string, number | null>(Object.entries(single));
  const record = Object.fromEntries(
    Object.entries(METRIC_NAMES).map(([key, name]) => {
      const value = entries.get(key) ?? null;
      return [name, value !== null && Number.isFinite(value) ? value : null];
    }),
  );
  return { ...record, ...taskRecord(tasks) };
}

/**
 * The inverse of `metricsRecord`; null becomes NaN, except in `baseline`. Names it does not know are left out.
 * @throws Error naming what is missing.
 */
export function metricsFromRecord(record: unknown): StepMetrics {
  const parsed = recordSchema.safeParse(record);
  if (!parsed.success) throw new Error('a metrics record must be an object of numbers (or null)');
  const read = (key: SingleMetric): number | null => {
    const value = parsed.data[METRIC_NAMES[key]];
    if (value === undefined) throw new Error(`the metrics record has no "${METRIC_NAMES[key]}"`);
    return value;
  };
  const number = (key: SingleMetric): number => read(key) ?? NaN;
  return {
    step: number('step'),
    reward: number('reward'),
    rewardStd: number('rewardStd'),
    accuracy: number('accuracy'),
    format: number('format'),
    tasks: tasksFromRecord(parsed.data),
    kl: number('kl'),
    entropy: number('entropy'),
    loss: number('loss'),
    gradNorm: number('gradNorm'),
    learningRate: number('learningRate'),
    klSampleTrainV1: number('klSampleTrainV1'),
    klSampleTrainV2: number('klSampleTrainV2'),
    fracMixed: number('fracMixed'),
    completionTokens: number('completionTokens'),
    meanLength: number('meanLength'),
    truncated: number('truncated'),
    baseline: read('baseline'),
    policyVersion: number('policyVersion'),
    seconds: number('seconds'),
    secondsRollout: number('secondsRollout'),
    secondsTrain: number('secondsTrain'),
    secondsSync: number('secondsSync'),
  };
}

/** The text of `metrics.jsonl`: one record per line. */
export function writeMetricsLog(metrics: readonly StepMetrics[]): string {
  return metrics.map((step) => `${JSON.stringify(metricsRecord(step))}\n`).join('');
}

/** @throws Error with the number of the first line that can't be read. */
export function readMetricsLog(text: string): StepMetrics[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    try {
      return [metricsFromRecord(JSON.parse(line))];
    } catch (error) {
      throw new Error(`line ${index + 1}: ${messageOf(error)}`);
    }
  });
}
