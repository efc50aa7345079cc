/**
 * A run as a folder: its settings, its log line by line, its evaluations, its checkpoints, what the model has become, and all of it in a
 * few numbers. The page hands it out as one zip; the command line writes it as the run goes.
 */
import type { RunConfig } from '../settings/schema/schema.ts';
import { writeMetricsLog, writeSftLog } from '../records/metricsLog.ts';
import type { RunLog, RunWords } from '../records/runLog.ts';
import { openBytes, type OpenFile } from '@rl-playground/engine/parts';
import { meanOrNull } from '@rl-playground/base/statistics';
import type { EvalResult } from '../loop/evaluate.ts';
import type { StepMetrics } from '../metrics/metrics.ts';
import { checkpointFiles } from '../checkpoint/checkpoint.ts';
import type { CheckpointParts } from '../checkpoint/checkpointParts.ts';
import { evalFiles, evaluationPercent, furtherPercent } from '../records/evalFiles.ts';
import { jsonNumber, jsonText } from '@rl-playground/base/json';

export const RUN_DIRECTORY = {
  /** The run's settings; a model's `config.json` lies in the folders of the models. */
  config: 'config.json',
  metrics: 'metrics.jsonl',
  rollouts: 'rollouts.jsonl',
  results: 'train_results.json',
  /** There where a run was begun though it was not expected to fit into memory. */
  overriddenPlan: 'overridden_plan.json',
  /** Runs in the page have it. */
  words: 'label.json',
  /** Folder of a checkpoint like the others, of the end of the run. */
  finalModel: 'final_model',
} as const;

export const checkpointFolder = (step: number): string => `checkpoint-${step}`;

/** The facts of a run that has ended, however it did. */
export interface FinishedRun {
  readonly modelName: string;
  readonly metrics: readonly StepMetrics[];
  readonly evaluations: readonly EvalResult[];
  /** Time in steps, warm-up and evaluations. */
  readonly wallSeconds: number;
  /** Steps of which `rollouts.jsonl` has no lines: they made room, or were made before the run was loaded. */
  readonly rolloutStepsForgotten: number;
}

function evaluationSummary(result: EvalResult | undefined) {
  if (result === undefined) return null;
  const { step, temperature } = result;
  return { step, ...evaluationPercent(result), ...furtherPercent(result), temperature };
}

/**
 * `train_results.json`: a run in a few numbers, the first ones under the names of Hugging Face's trainers. Seconds and per second; accuracy and format of evaluations in percent, of steps as
 * shares. A number is null if there was nothing.
 */
export function trainResults(run: FinishedRun) {
  const { modelName, metrics, evaluations, wallSeconds } = run;
  const last = metrics.at(-1);
  const samples = metrics.reduce(
    (sum, step) => sum + (step.completions ?? Math.round(step.completionTokens / step.meanLength)),
    0,
  );
  const perSecond = (count: number): number | null => (wallSeconds > 0 ? count / wallSeconds : null);
  const after = evaluations.at(-1);
  return {
    train_runtime: wallSeconds,
    train_samples: samples,
    train_samples_per_second: perSecond(samples),
    train_steps: metrics.length,
    train_steps_per_second: perSecond(metrics.length),
    train_loss: meanOrNull(metrics.flatMap(({ loss }) => jsonNumber(loss) ?? [])),
    num_tokens: last?.totalTokens ?? null,
    model: modelName,
    final: last && {
      step: last.step,
      reward: jsonNumber(last.reward),
      reward_std: jsonNumber(last.rewardStd),
      rewards: Object.fromEntries(last.rewardParts.map(({ part, mean: value }) => [part, jsonNumber(value)])),
      correct: jsonNumber(last.accuracy),
      format: jsonNumber(last.format),
      kl: jsonNumber(last.kl),
      entropy: jsonNumber(last.entropy),
    },
    eval_before: evaluationSummary(evaluations.find(({ step }) => step === 0)),
    eval_after: evaluationSummary(after === undefined || after.step === 0 ? undefined : after),
    rollout_steps_forgotten: run.rolloutStepsForgotten,
  };
}

/** Every file of a run's directory by its path. @throws Error if no run has begun. */
export async function runFiles(
  parts: CheckpointParts,
  log: RunLog,
  words: RunWords | null = null,
): Promise<Map<string, OpenFile>> {
  const { model, runConfig, trainerState, metrics, evaluations } = parts;
  if (runConfig === null)
    throw new Error('There is no run to save yet: a run directory needs at least 1 step. Train first.');
  const results = trainResults({
    modelName: model.name,
    metrics,
    evaluations,
    wallSeconds: trainerState?.wallSeconds ?? 0,
    // Those that made room, and those made before the run was loaded.
    rolloutStepsForgotten: metrics.length - log.stepsKept,
  });
  const encoder = new TextEncoder();
  const files = new Map<string, OpenFile>();
  const write = (path: string, text: string) => files.set(path, openBytes(encoder.encode(text)));
  write(RUN_DIRECTORY.config, jsonText(runConfig));
  write(RUN_DIRECTORY.metrics, writeSftLog(trainerState, runConfig) + writeMetricsLog(metrics, evaluations));
  files.set(RUN_DIRECTORY.rollouts, log.rollouts);
  for (const [name, value] of evalFiles(evaluations)) write(name, jsonText(value));
  write(RUN_DIRECTORY.results, jsonText(results));
  if (log.overriddenPlan) write(RUN_DIRECTORY.overriddenPlan, jsonText(log.overriddenPlan));
  const named = words ?? log.words;
  if (named) write(RUN_DIRECTORY.words, jsonText(named));
  const models = [
    ...log.checkpoints.map((each) => ({ folder: checkpointFolder(each.step), files: each.files })),
    { folder: RUN_DIRECTORY.finalModel, files: await checkpointFiles(parts) },
  ];
  for (const model of models)
    for (const [name, file] of model.files) files.set(`${model.folder}/${name}`, file);
  return files;
}

/** A run that can be saved between two steps. */
export interface SavableRun {
  readonly config: RunConfig;
  readonly step: number;
  readonly log: RunLog;
  parts(): Promise<CheckpointParts>;
}

/** Keeps a checkpoint of the step just made where the settings ask for one. It is called between two steps. */
export async function keepCheckpointWhenDue(run: SavableRun): Promise<void> {
  const { saveSteps } = run.config;
  if (saveSteps === 0 || run.step === 0 || run.step % saveSteps !== 0) return;
  run.log.addCheckpoint(run.step, await checkpointFiles(await run.parts()));
}
