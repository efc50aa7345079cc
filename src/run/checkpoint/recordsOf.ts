/** The log of a run as its checkpoint has it. */
import { evalResultFromJson, sortedEvalFiles } from '../records/evalFiles.ts';
import { readMetricsLog } from '../records/metricsLog.ts';
import type { CheckpointParts } from './checkpointParts.ts';
import { RUN_FILES, type RunFiles } from './runFiles.ts';

/** The metrics and the evaluations of a run, in order. @throws CheckpointError naming the file that can't be read */
export function recordsOf(files: RunFiles): Pick<CheckpointParts, 'metrics' | 'evaluations'> {
  return {
    metrics: files.text(RUN_FILES.metrics, readMetricsLog) ?? [],
    evaluations: sortedEvalFiles(files.names).flatMap((name) => files.json(name, evalResultFromJson) ?? []),
  };
}
