/** A run of `train` in a child process, and its log, also if the run was ended half-way. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readMetricsLog } from '@rl-playground/run/records';
import type { StepMetrics } from '@rl-playground/run/metrics';
import { resultSchema, type Result } from '../learningGoals.ts';
import { runChild } from './child.ts';

export interface TrainedRun {
  readonly metrics: readonly StepMetrics[];
  /** The record of the whole run; null if it was ended before. */
  readonly result: Result | null;
}

const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');

/** Trains on the GPU of a headless browser by the words of `train`. @throws Error with the run’s last words if it fails. */
export async function trainedRun(words: readonly string[], signal: AbortSignal): Promise<TrainedRun> {
  const folder = mkdtempSync(join(tmpdir(), 'rl-playground-gpu-'));
  const [run, json] = [join(folder, 'run'), join(folder, 'result.json')];
  const train = ['src/cli/run.mjs', 'train', '--backend', 'webgpu', '--out', run, '--json', json];
  try {
    await runChild([...train, ...words], { signal, onLine: () => {} });
    const log = textOf(join(run, 'metrics.jsonl'));
    const record = textOf(json);
    return {
      // The last line of a run that was ended may be cut off.
      metrics: readMetricsLog(log.slice(0, log.lastIndexOf('\n') + 1)),
      result: record === '' ? null : resultSchema.parse(JSON.parse(record)),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
