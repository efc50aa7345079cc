/** A run directory on disk, written as the run goes: whatever ends the run leaves what was written. */
import { mkdirSync, statSync } from 'node:fs';
import { jsonText } from '@rl-playground/base/json';
import type { RunConfig } from '@rl-playground/run/settings';
import { filesAtPath, inside } from '@rl-playground/engine/parts/node';
import type { ModelFiles } from '@rl-playground/engine/parts';
import type { EvalResult } from '@rl-playground/run/loop';
import type { StepMetrics } from '@rl-playground/run/metrics';
import {
  checkpointFolder,
  RUN_DIRECTORY,
  trainResults,
  type FinishedRun,
} from '@rl-playground/run/directory';
import {
  evalFiles,
  sftRecords,
  writeMetricsLog,
  type OverriddenPlan,
  type SftUpdates,
} from '@rl-playground/run/records';
import {
  checkpointPositions,
  positionOf,
  removeCheckpoint,
  removeDrafts,
  trainerStateIn,
  writeCheckpoint,
} from './checkpointFolders.ts';
import { appendLines, replaceFile, sync, writing, lockFolder } from '@rl-playground/run/disk';

/** The number of checkpoints that are kept of those that the settings do not ask for. */
const TIMED_KEPT = 2;

/** A run's folder. Each of its methods throws WriteError if something can't be written. */
export class RunFolder {
  readonly path: string;
  readonly #config: RunConfig;
  readonly #release: () => void;
  #losses: readonly number[];
  #tokens: readonly number[];

  /** `release` frees the folder's lock, which the caller has. The run's files must exist; `logged` has the updates that are in its log. */
  constructor(path: string, config: RunConfig, release: () => void, logged: SftUpdates | null = null) {
    this.path = path;
    this.#config = config;
    this.#release = release;
    this.#losses = logged?.sftLosses ?? [];
    this.#tokens = logged?.sftTokens ?? [];
  }

  /** Adds the next supervised updates to the log: the loss of each, and the tokens learned from. */
  sft(losses: readonly number[], tokens: readonly number[]): void {
    const before = this.#losses.length;
    this.#losses = [...this.#losses, ...losses];
    this.#tokens = [...this.#tokens, ...tokens];
    const state = { sftLosses: this.#losses, sftTokens: this.#tokens };
    const lines = sftRecords(state, this.#config).slice(before);
    this.#append(RUN_DIRECTORY.metrics, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }

  /** Adds lines to the log, and a file for each evaluation; a later one of the same step replaces it. */
  log(metrics: readonly StepMetrics[], evaluations: readonly EvalResult[]): void {
    this.#append(RUN_DIRECTORY.metrics, writeMetricsLog(metrics, evaluations));
    for (const evaluation of evaluations)
      for (const [name, value] of evalFiles([evaluation])) this.#write(name, jsonText(value));
  }

  /** Adds `lines` of completions, each with its newline. */
  rollouts(lines: string): void {
    this.#append(RUN_DIRECTORY.rollouts, lines);
  }

  overriddenPlan(overridden: OverriddenPlan): void {
    this.#write(RUN_DIRECTORY.overriddenPlan, jsonText(overridden));
  }

  /**
   * Writes a checkpoint. `from` has its files, or is the path of its zip. The log of its step must have been written; inside a warm-up
   * `step` is minus the number of updates still to come.
   */
  async checkpoint(step: number, from: string | ModelFiles): Promise<void> {
    // A log that is behind a checkpoint could not be cut to it.
    for (const name of [RUN_DIRECTORY.metrics, RUN_DIRECTORY.rollouts])
      writing(this.#path(name), () => sync(this.#path(name)));
    await writeCheckpoint(this.#path(checkpointFolder(step)), from);
  }

  /** Writes a checkpoint that the settings do not ask for; the last two of these are kept. `zip` is its path. */
  async timedCheckpoint(zip: string): Promise<void> {
    const { saveSteps, warmStartSteps } = this.#config;
    const files = await filesAtPath(zip);
    const state = await trainerStateIn(files);
    await this.checkpoint(positionOf(state, warmStartSteps), files);
    const asked = (step: number): boolean => saveSteps > 0 && step > 0 && step % saveSteps === 0;
    const timed = checkpointPositions(this.path).filter((step) => !asked(step));
    for (const step of timed.slice(0, -TIMED_KEPT)) removeCheckpoint(this.#path(checkpointFolder(step)));
  }

  /** Writes the end of the run. `from` has the files of its last checkpoint, or is the path of the zip. */
  async finish(run: FinishedRun, from: string | ModelFiles): Promise<void> {
    await writeCheckpoint(this.#path(RUN_DIRECTORY.finalModel), from);
    this.#write(RUN_DIRECTORY.results, jsonText(trainResults(run)));
  }

  release(): void {
    this.#release();
  }

  #path(name: string): string {
    return inside(this.path, name);
  }

  #append(name: string, text: string): void {
    if (text !== '') appendLines(this.#path(name), text);
  }

  #write(name: string, text: string): void {
    replaceFile(this.#path(name), text);
  }
}

/**
 * Makes the folder if needed, locks it, and begins the run's files in it.
 *
 * @throws Error if it holds a run already; one that ended before its first line counts as none. FolderTaken if another run has it.
 */
export function beginRun(path: string, config: RunConfig): RunFolder {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new Error(`${path} is a file, and a run directory is a folder. Name another one.`);
  writing(path, () => mkdirSync(path, { recursive: true }));
  const release = lockFolder(path);
  try {
    const { metrics, rollouts, finalModel } = RUN_DIRECTORY;
    const taken = [metrics, rollouts, finalModel].find((name) => {
      const found = statSync(inside(path, name), { throwIfNoEntry: false });
      return found !== undefined && (found.isDirectory() || found.size > 0);
    });
    if (taken !== undefined)
      throw new Error(
        `${path} holds a run already (${taken}). Go on with it by --resume ${path}, name another folder, or remove that one.`,
      );
    removeDrafts(path);
    for (const [name, text] of [
      [RUN_DIRECTORY.config, jsonText(config)],
      [metrics, ''],
      [rollouts, ''],
    ] as const)
      replaceFile(inside(path, name), text);
    return new RunFolder(path, config, release);
  } catch (error) {
    release();
    throw error;
  }
}

/** The folder of the model at `path`: in a run directory its last one, else `path` itself. */
export function modelFolder(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return path;
  const last = inside(path, RUN_DIRECTORY.finalModel);
  return statSync(last, { throwIfNoEntry: false })?.isDirectory() === true ? last : path;
}
