/** A kept run without its weights, for lists and charts: its settings, metrics and evaluations. */
import type { RunConfig } from '../settings/schema/schema.ts';
import type { EvalResult } from '../loop/evaluate.ts';
import type { StepMetrics } from '../metrics/metrics.ts';
import { recordsOf, RunFiles } from '../checkpoint/runFiles.ts';
import { settingsOf } from '../checkpoint/runSettings.ts';
import { openCommit, type KeptRun } from './runStore.ts';

export interface KeptRecord {
  readonly config: RunConfig;
  readonly metrics: readonly StepMetrics[];
  readonly evaluations: readonly EvalResult[];
}

async function newestFiles({ run, newest }: KeptRun, texts?: readonly string[]): Promise<RunFiles> {
  return RunFiles.read((await openCommit(run, newest)).files, texts);
}

function configIn(files: RunFiles): RunConfig {
  const { runConfig } = settingsOf(files);
  if (runConfig === null) throw new Error(`${files.label} says no settings.`);
  return runConfig;
}

/** The settings of a kept run. @throws Error where they can't be read. */
export async function keptConfig(kept: KeptRun): Promise<RunConfig> {
  return configIn(await newestFiles(kept, ['config.json']));
}

/** The record in a run's newest commit. @throws Error where it can't be read. */
export async function keptRecord(kept: KeptRun): Promise<KeptRecord> {
  const files = await newestFiles(kept);
  return { config: configIn(files), ...recordsOf(files) };
}
