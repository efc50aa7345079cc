/**
 * Step metrics as lines of `metrics.jsonl`: every metric under all its names (`src/rl/metrics`), so that readers made for Tinker's or
 * TRL's logs find theirs.
 */
import { z } from 'zod';
import { messageOf } from '../../base/errors.ts';
import { jsonLines } from '../../base/jsonLines.ts';
import { METRICS, metricsOf, type StepMetrics } from '../../rl/metrics/index.ts';
import type { EvalResult } from '../../rl/loop/evaluate.ts';
import { EVALUATION_MARK, evaluationRecord } from './evaluationRecord.ts';
import { rewardPartsFromRecord, rewardPartsRecord } from './rewardPartsRecord.ts';
import { taskRecord, tasksFromRecord } from './taskRecord.ts';
import { isSftRecord } from './sftLog.ts';

export type MetricsRecord = Record<string, number | null>;

const recordSchema = z.record(z.string(), z.number().nullable());

/** JSON has no NaN or infinity: both become null. */
export function metricsRecord(metrics: StepMetrics): MetricsRecord {
  const record: MetricsRecord = {};
  for (const { key, names } of METRICS) {
    const value = metrics[key];
    for (const name of names) record[name] = value !== null && Number.isFinite(value) ? value : null;
  }
  // A part that is named as a metric is ("total") does not hide it.
  const { step, rewardParts, tasks } = metrics;
  return { step, ...rewardPartsRecord(rewardParts), ...record, ...taskRecord(tasks) };
}

/**
 * The inverse of `metricsRecord`: of a metric's names the first that is there. A metric that every step has is NaN where the log says
 * null; one that may be absent is null then, and where the log of an earlier version lacks it. Names it does not know are left out.
 * @throws Error naming what is missing.
 */
export function metricsFromRecord(record: unknown): StepMetrics {
  const parsed = recordSchema.safeParse(record);
  if (!parsed.success) throw new Error('a metrics record must be an object of numbers (or null)');
  const found = renamed(parsed.data);
  const missing = (name: string): Error => new Error(`the metrics record has no "${name}"`);
  const { step } = found;
  if (step === undefined || step === null) throw missing('step');
  return metricsOf(step, tasksFromRecord(found), rewardPartsFromRecord(found), ({ names, optional }) => {
    const name = names.find((each) => found[each] !== undefined);
    if (name === undefined && !optional) throw missing(names[0]);
    const value = name === undefined ? null : (found[name] ?? null);
    return value ?? (optional ? null : NaN);
  });
}

/** Before logs had Tinker's estimate, `optim/entropy` named the exact entropy, which is `entropy` now. */
function renamed({ 'optim/entropy': before, ...rest }: MetricsRecord): MetricsRecord {
  if (before === undefined) return rest;
  return 'entropy' in rest ? { ...rest, 'optim/entropy': before } : { ...rest, entropy: before };
}

/** One line of `metrics.jsonl`, its newline included. */
export function metricsLine(metrics: StepMetrics): string {
  return `${JSON.stringify(metricsRecord(metrics))}\n`;
}

/** A line of the log for an evaluation, its newline included. */
export function evaluationLine(evaluation: EvalResult): string {
  return `${JSON.stringify(evaluationRecord(evaluation))}\n`;
}

/** The text of `metrics.jsonl`: one line per step, and one for each evaluation, after the line of its step. */
export function writeMetricsLog(
  metrics: readonly StepMetrics[],
  evaluations: readonly EvalResult[] = [],
): string {
  const lines = [
    ...metrics.map((step) => ({ step: step.step, line: metricsLine(step) })),
    ...evaluations.map((evaluation) => ({ step: evaluation.step, line: evaluationLine(evaluation) })),
  ];
  return lines
    .toSorted((a, b) => a.step - b.step)
    .map(({ line }) => line)
    .join('');
}

/** The steps of a log; the evaluations in it have files of their own, and the updates of a warm start are in the trainer's state. @throws Error with the number of the first line that can't be read. */
export function readMetricsLog(text: string): StepMetrics[] {
  return [...jsonLines(text)].flatMap(({ line, json }) => {
    if ('error' in json) throw new Error(`line ${line}: ${json.error}`);
    const { value } = json;
    if (isEvaluation(value) || isSftRecord(value)) return [];
    try {
      return metricsFromRecord(value);
    } catch (error) {
      throw new Error(`line ${line}: ${messageOf(error)}`);
    }
  });
}

function isEvaluation(record: unknown): boolean {
  return typeof record === 'object' && record !== null && EVALUATION_MARK in record;
}
