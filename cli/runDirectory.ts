/** A run directory on disk, written as the run goes: a crash leaves what was there. */
import { appendFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { filesAtPath } from '../src/hub/filesInNode.ts';
import type { OpenFile } from '../src/hub/types.ts';
import { filePieces } from '../src/hub/zipWriter.ts';
import type { RunConfig } from '../src/config/schema.ts';
import type { EvalResult } from '../src/rl/loop/evaluate.ts';
import type { StepMetrics } from '../src/rl/metrics/index.ts';
import { evalFiles } from '../src/run/records/evalFiles.ts';
import { sftRecords, writeMetricsLog } from '../src/run/records/metricsLog.ts';
import {
  checkpointFolder,
  RUN_DIRECTORY,
  trainResults,
  type FinishedRun,
} from '../src/run/records/runDirectory.ts';
import type { OverriddenPlan } from '../src/run/records/runLog.ts';
import { jsonText } from '../src/base/json.ts';

export class RunFolder {
  readonly #folder: string;
  readonly #config: RunConfig;
  #losses: readonly number[] = [];
  #tokens: readonly number[] = [];

  /**
   * Makes the folder where needed and begins the run's files in it.
   *
   * @throws Error when it holds a run already; one that ended before its first line counts as none.
   */
  constructor(folder: string, config: RunConfig) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false)
      throw new Error(`${folder} is a file, and a run directory is a folder. Name another one.`);
    const { metrics, rollouts, finalModel } = RUN_DIRECTORY;
    const taken = [metrics, rollouts, finalModel].find((name) => {
      const found = statSync(join(folder, name), { throwIfNoEntry: false });
      return found !== undefined && (found.isDirectory() || found.size > 0);
    });
    if (taken !== undefined)
      throw new Error(`${folder} holds a run already (${taken}). Name another folder, or remove that one.`);
    mkdirSync(folder, { recursive: true });
    this.#folder = folder;
    this.#config = config;
    this.#write(RUN_DIRECTORY.config, jsonText(config));
    this.#write(metrics, '');
    this.#write(rollouts, '');
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

  /** Adds lines to the log, and a file for each evaluation; a later one of the same step takes its place. */
  log(metrics: readonly StepMetrics[], evaluations: readonly EvalResult[]): void {
    this.#append(RUN_DIRECTORY.metrics, writeMetricsLog(metrics, evaluations));
    for (const evaluation of evaluations)
      for (const [name, value] of evalFiles([evaluation])) this.#write(name, jsonText(value));
  }

  /** `lines`: of completions, each with its newline. */
  rollouts(lines: string): void {
    this.#append(RUN_DIRECTORY.rollouts, lines);
  }

  overriddenPlan(overridden: OverriddenPlan): void {
    this.#write(RUN_DIRECTORY.overriddenPlan, jsonText(overridden));
  }

  /** `zip`: path of a checkpoint. */
  async checkpoint(step: number, zip: string): Promise<void> {
    await writeUnzipped(this.#path(checkpointFolder(step)), zip);
  }

  /** `zip`: path of a checkpoint of the end of the run. */
  async finish(run: FinishedRun, zip: string): Promise<void> {
    await writeUnzipped(this.#path(RUN_DIRECTORY.finalModel), zip);
    this.#write(RUN_DIRECTORY.results, jsonText(trainResults(run)));
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }

  #append(name: string, text: string): void {
    appendFileSync(this.#path(name), text);
  }

  #write(name: string, text: string): void {
    const path = this.#path(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

/** Where the model of `path` lies: in a run directory its last one, else `path` is a model's folder itself. */
export function modelFolder(path: string): string {
  const last = join(path, RUN_DIRECTORY.finalModel);
  return statSync(last, { throwIfNoEntry: false })?.isDirectory() === true ? last : path;
}

/**
 * Writes every file of the zip at a path below `folder`, which is made if needed; files of the same name are replaced. None is in memory
 * as a whole.
 *
 * @returns the names of the files, sorted.
 * @throws Error when an entry would land outside of `folder`.
 */
export async function writeUnzipped(folder: string, zip: string): Promise<string[]> {
  const root = resolve(folder);
  const files = await filesAtPath(zip);
  const names = files.names ?? [];
  for (const name of names) {
    if (!resolve(root, name).startsWith(root + sep)) {
      throw new Error(`The checkpoint holds "${name}", which lies outside of ${folder}.`);
    }
  }
  for (const name of names) {
    const path = resolve(root, name);
    mkdirSync(dirname(path), { recursive: true });
    const file = await files.open(name);
    if (file !== null) await writeOpenFile(path, file);
  }
  return [...names].sort();
}

/** Writes a file piece by piece; one of that name is replaced. */
export async function writeOpenFile(path: string, content: OpenFile): Promise<void> {
  const file = await open(path, 'w');
  try {
    for await (const bytes of filePieces(content)) await file.writeFile(bytes);
  } finally {
    await file.close();
  }
}
