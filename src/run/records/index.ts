/** Logs, completions and evaluations of a run, as files. */
export { evalFileJson, evalFiles, evalResultFromJson, sortedEvalFiles } from './evalFiles.ts';
export { metricsRecord, readMetricsLog, sftRecords, type SftUpdates, writeMetricsLog } from './metricsLog.ts';
export { answersOf, type RecordedRollout, type rolloutRecord } from './rolloutRecord.ts';
export { type OverriddenPlan, RunLog, type RunWords } from './runLog.ts';
