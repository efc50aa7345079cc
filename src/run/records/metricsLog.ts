/**
 * `metrics.jsonl`: a line for every step, evaluation and supervised update. Metrics have all their names (`src/run/metrics`), so that
 * readers made for Tinker's or TRL's logs find theirs.
 */
import { z } from 'zod';
import { messageOf } from '@rl-playground/base/errors';
import { isJsonObject, jsonLines, jsonNumber } from '@rl-playground/base/json';
import { METRICS, metricsOf, type StepMetrics } from '../metrics/metrics.ts';
import type { EvalResult } from '../loop/evaluate.ts';
import type { RewardPart, TaskShare } from '../metrics/reward.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import { sftRate } from '../loop/learningRate.ts';
import { evaluationPercent, furtherPercent } from './evalFiles.ts';

export type MetricsRecord = Record<string, number | null>;

const recordSchema = z.record(z.string(), z.number().nullable());

/** Only lines of evaluations have this name. */
const EVALUATION_MARK = 'eval/step';
/** Only lines of supervised updates have this name. */
const SFT_MARK = 'sft/step';
/** Only steps of tasks that leave answers out have this name. */
const LEFT_OUT_NAME = 'rollout_errors/left_out';

const lineOf = (record: object): string => `${JSON.stringify(record)}\n`;

/** A step. JSON has no NaN or infinity: both become null. */
export function metricsRecord(metrics: StepMetrics): MetricsRecord {
  const record: MetricsRecord = {};
  for (const { key, names } of METRICS) for (const name of names) record[name] = jsonNumber(metrics[key]);
  // A part that is named as a metric is ("total") does not hide it.
  const { step, rewardParts, tasks, leftOut } = metrics;
  return {
    step,
    ...rewardPartsRecord(rewardParts),
    ...record,
    ...taskRecord(tasks),
    ...(leftOut !== undefined && { [LEFT_OUT_NAME]: leftOut }),
  };
}

/**
 * The inverse of `metricsRecord`: of a metric's names the first that is there. A metric that every step has is NaN where the log says
 * null; one that may be absent is null then, and where the log of an earlier version lacks it. Names it does not know are left out.
 * @throws Error naming what is missing.
 */
export function metricsFromRecord(record: unknown): StepMetrics {
  const parsed = recordSchema.safeParse(record);
  if (!parsed.success) throw new Error('a metrics record must be an object of numbers (or null)');
  const found = parsed.data;
  const missing = (name: string): Error => new Error(`the metrics record has no "${name}"`);
  const { step } = found;
  if (step === undefined || step === null) throw missing('step');
  const leftOut = found[LEFT_OUT_NAME];
  const metrics = metricsOf(
    step,
    tasksFromRecord(found),
    rewardPartsFromRecord(found),
    ({ names, optional }) => {
      const name = names.find((each) => found[each] !== undefined);
      if (name === undefined && !optional) throw missing(names[0]);
      const value = name === undefined ? null : (found[name] ?? null);
      return value ?? (optional ? null : NaN);
    },
  );
  return typeof leftOut === 'number' ? { ...metrics, leftOut } : metrics;
}

/** The parts of the reward: under Tinker's names and, with their spread, under TRL's. */
function rewardPartsRecord(parts: readonly RewardPart[]): Record<string, number> {
  return Object.fromEntries(
    parts.flatMap(({ part, mean, std }): [string, number][] => [
      [`env/all/reward/${part}`, mean],
      [`rewards/${part}/mean`, mean],
      [`rewards/${part}/std`, std],
    ]),
  );
}

const MEAN_NAME = /^rewards\/(.+)\/mean$/;

/** The inverse of `rewardPartsRecord`, in the order of the record. */
function rewardPartsFromRecord(record: Readonly<MetricsRecord>): RewardPart[] {
  return Object.entries(record).flatMap(([name, mean]): RewardPart[] => {
    const part = MEAN_NAME.exec(name)?.[1];
    if (part === undefined) return [];
    return [{ part, mean: mean ?? NaN, std: record[`rewards/${part}/std`] ?? NaN }];
  });
}

const TASK_NUMBERS = {
  reward: 'reward/total',
  accuracy: 'correct',
  format: 'format',
  n: 'total_episodes',
  level: 'level',
} as const satisfies Record<Exclude<keyof TaskShare, 'task'>, string>;

/** The tasks of a mixture: `env/<task>/…`, as Tinker logs its tags. */
function taskRecord(tasks: readonly TaskShare[]): MetricsRecord {
  return Object.fromEntries(
    tasks.flatMap(({ task, ...numbers }) =>
      Object.entries(TASK_NUMBERS).map(([key, name]): [string, number | null] => [
        `env/${task}/${name}`,
        numbers[key as keyof typeof TASK_NUMBERS],
      ]),
    ),
  );
}

const COUNT_NAME = new RegExp(`^env/(?!all/)(.+)/${TASK_NUMBERS.n}$`);

/** The inverse of `taskRecord`, in the order of the record. */
function tasksFromRecord(record: Readonly<MetricsRecord>): TaskShare[] {
  return Object.keys(record).flatMap((name): TaskShare[] => {
    const task = COUNT_NAME.exec(name)?.[1];
    if (task === undefined) return [];
    const read = (key: keyof typeof TASK_NUMBERS) => record[`env/${task}/${TASK_NUMBERS[key]}`] ?? null;
    const number = (key: keyof typeof TASK_NUMBERS) => read(key) ?? NaN;
    const [reward, accuracy, format] = [number('reward'), number('accuracy'), number('format')];
    return [{ task, reward, accuracy, format, n: number('n'), level: read('level') }];
  });
}

/** An evaluation: RL for Real's names, in percent, and Tinker's, as shares. */
function evaluationRecord(evaluation: EvalResult): MetricsRecord {
  const { step, accuracy, format, tasks, levels = [] } = evaluation;
  return {
    step,
    [EVALUATION_MARK]: step,
    ...prefixed('eval/', { ...evaluationPercent(evaluation), ...furtherPercent(evaluation) }),
    'test/env/all/correct': accuracy,
    'test/env/all/format': format,
    ...Object.fromEntries(tasks.map((each) => [`eval/${each.task}/accuracy`, 100 * each.accuracy])),
    ...Object.fromEntries(
      levels.map((each) => [`eval/${each.task}/level_${each.level}/greedy_accuracy`, 100 * each.accuracy]),
    ),
    ...prefixed('test/', taskRecord(tasks)),
  };
}

const prefixed = (prefix: string, record: Readonly<MetricsRecord>): MetricsRecord =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [prefix + name, value]));

/** The text of `metrics.jsonl`: one line per step, and one for each evaluation, after the line of its step. */
export function writeMetricsLog(
  metrics: readonly StepMetrics[],
  evaluations: readonly EvalResult[] = [],
): string {
  const lines = [
    ...metrics.map((step) => ({ step: step.step, line: lineOf(metricsRecord(step)) })),
    ...evaluations.map((each) => ({ step: each.step, line: lineOf(evaluationRecord(each)) })),
  ];
  return lines
    .toSorted((a, b) => a.step - b.step)
    .map(({ line }) => line)
    .join('');
}

/**
 * The steps of a log; the evaluations in it have files of their own, and the updates of a warm-up are in the trainer's state.
 * @throws Error with the number of the first line that can't be read.
 */
export function readMetricsLog(text: string): StepMetrics[] {
  return [...jsonLines(text)].flatMap(({ line, json }) => {
    if ('error' in json) throw new Error(`line ${line}: ${json.error}`);
    const { value } = json;
    if (isJsonObject(value) && (EVALUATION_MARK in value || SFT_MARK in value)) return [];
    try {
      return metricsFromRecord(value);
    } catch (error) {
      throw new Error(`line ${line}: ${messageOf(error)}`);
    }
  });
}

/** The updates of a warm-up. */
export interface SftUpdates {
  /** Loss of each update made so far. */
  readonly sftLosses: readonly number[];
  /** Tokens that each update learned from; absent in files from before they were kept. */
  readonly sftTokens?: readonly number[];
}

/**
 * The supervised updates before reinforcement. `step` is minus the updates still to come, 0 for the last, so that a reader that plots
 * against it draws one continuous curve; the loss is the mean negative log-likelihood of a token learned from, in nats. Tokens are null in
 * runs begun before they were counted.
 */
export function sftRecords({ sftLosses, sftTokens = [] }: SftUpdates, config: RunConfig) {
  return sftLosses.map((loss, i) => ({
    step: i + 1 - config.warmStartSteps,
    [SFT_MARK]: i + 1,
    'sft/loss': loss,
    'sft/lr': sftRate(i + 1, config),
    'sft/tokens': sftTokens[i] ?? null,
  }));
}

/** The lines before those of the steps; empty for a run without a warm-up. */
export function writeSftLog(state: SftUpdates | null, config: RunConfig | null): string {
  return state === null || config === null ? '' : sftRecords(state, config).map(lineOf).join('');
}
