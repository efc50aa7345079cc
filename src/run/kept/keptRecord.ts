/** A kept run without its weights, for lists and charts: its settings, metrics and evaluations. */
import type { RunConfig } from '../settings/schema/schema.ts';
import { parseJsonObject, readFile, type ModelFiles } from '@rl-playground/engine/parts';
import type { EvalResult } from '../loop/evaluate.ts';
import type { StepMetrics } from '../metrics/metrics.ts';
import { runSettingsOf } from '../checkpoint/runSettings.ts';
import { evalResultFromJson, sortedEvalFiles } from '../records/evalFiles.ts';
import { readMetricsLog } from '../records/metricsLog.ts';
import { METRICS_FILE } from './keptRun.ts';
import { openCommit, type KeptRun } from './runStore.ts';

export interface KeptRecord {
  readonly config: RunConfig;
  readonly metrics: readonly StepMetrics[];
  readonly evaluations: readonly EvalResult[];
}

async function newestFiles({ run, newest }: KeptRun): Promise<ModelFiles> {
  return (await openCommit(run, newest)).files;
}

async function configIn(files: ModelFiles): Promise<RunConfig> {
  const bytes = await readFile(files, 'config.json', {});
  const config = bytes && runSettingsOf(parseJsonObject(bytes, 'config.json', files.label));
  if (!config) throw new Error(`${files.label} says no settings.`);
  return config;
}

/** The settings of a kept run. @throws Error where they can't be read. */
export async function keptConfig(kept: KeptRun): Promise<RunConfig> {
  return configIn(await newestFiles(kept));
}

/** The record in a run's newest commit. @throws Error where it can't be read. */
export async function keptRecord(kept: KeptRun): Promise<KeptRecord> {
  const files = await newestFiles(kept);
  const metrics = await readFile(files, METRICS_FILE, {});
  const evaluations: EvalResult[] = [];
  for (const name of sortedEvalFiles(files.names ?? [])) {
    const bytes = await readFile(files, name, {});
    if (bytes) evaluations.push(evalResultFromJson(parseJsonObject(bytes, name, files.label)));
  }
  return {
    config: await configIn(files),
    metrics: metrics ? readMetricsLog(new TextDecoder().decode(metrics)) : [],
    evaluations,
  };
}
