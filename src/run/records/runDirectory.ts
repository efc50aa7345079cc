/** A run as a folder: its settings, its log line by line, its evaluations, its checkpoints and what the model has become. */
import type { RunConfig } from '../../config/schema.ts';
import { evalFileJson, evalFileNames } from './evalFiles.ts';
import { writeMetricsLog } from './metricsLog.ts';
import type { SavedCheckpoint } from './runLog.ts';
import { trainResults, type FinishedRun } from './trainResults.ts';

export const RUN_DIRECTORY = {
  /** The run's settings; a model's `config.json` lies in the folders of the models. */
  config: 'config.json',
  metrics: 'metrics.jsonl',
  rollouts: 'rollouts.jsonl',
  results: 'train_results.json',
  /** Folder of a checkpoint like the others, of the end of the run. */
  finalModel: 'final_model',
} as const;

export const checkpointFolder = (step: number): string => `checkpoint-${step}`;

export interface RunRecord extends FinishedRun {
  readonly config: RunConfig;
  /** Lines of the log that stand before those of the steps (`warmStartLog.ts`); absent without a warm start. */
  readonly sftLog?: string;
  /** The text of `rollouts.jsonl`. */
  readonly rollouts: string;
  readonly checkpoints: readonly SavedCheckpoint[];
  /** Files of a checkpoint of the weights at hand. */
  readonly finalModel: ReadonlyMap<string, Uint8Array>;
}

/** JSON as every file of a run directory has it. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Every file of the directory by its path. */
export function runDirectory(record: RunRecord): Map<string, Uint8Array> {
  const { config, metrics, evaluations, rollouts, checkpoints, finalModel } = record;
  const encoder = new TextEncoder();
  const files = new Map<string, Uint8Array>();
  const write = (path: string, text: string) => files.set(path, encoder.encode(text));
  write(RUN_DIRECTORY.config, jsonText(config));
  write(RUN_DIRECTORY.metrics, (record.sftLog ?? '') + writeMetricsLog(metrics, evaluations));
  write(RUN_DIRECTORY.rollouts, rollouts);
  const names = evalFileNames(evaluations);
  evaluations.forEach((evaluation, i) => {
    const name = names[i];
    if (name !== undefined) write(name, jsonText(evalFileJson(evaluation)));
  });
  write(RUN_DIRECTORY.results, jsonText(trainResults(record)));
  const models = [
    ...checkpoints.map((each) => ({ folder: checkpointFolder(each.step), files: each.files })),
    { folder: RUN_DIRECTORY.finalModel, files: finalModel },
  ];
  for (const model of models)
    for (const [name, bytes] of model.files) files.set(`${model.folder}/${name}`, bytes);
  return files;
}
