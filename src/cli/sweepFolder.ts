/**
 * A sweep's folder. `sweep.json` lists its runs with their results, and is replaced in one go whenever one ends. `runs/NAME` are the run
 * directories of those that have ended; they get there by a rename, so each of them is whole. `running/ID` is the work of one process,
 * and of no use after it. A run of a sweep that was killed ends soon after it, and until then writes to a folder that no other process
 * takes.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BadInput, orBadInput } from '@rl-playground/base/errors';
import { plural } from '@rl-playground/base/text';
import {
  readSweep,
  readSweepRecord,
  SWEEP_FILE,
  SWEEP_RUNS,
  writeSweep,
  type Sweep,
  type SweepRun,
} from '@rl-playground/run/sweeps';
import {
  codeOf,
  replaceFile,
  sync,
  writing,
  MOST_LOG_BYTES,
  readText,
  lockFolder,
} from '@rl-playground/run/disk';
import type { Plan, PlannedRun } from './sweepGrid.ts';
import { RECORD_FILE } from './sweepProcess.ts';

const RUNNING = 'running';

/** Removes the folders of unfinished runs. Files that a run of a killed sweep is still writing remain until the next time. */
function removeRunning(path: string): void {
  try {
    rmSync(join(path, RUNNING), { recursive: true, force: true });
  } catch (error) {
    if (codeOf(error) !== 'ENOTEMPTY') throw error;
  }
}

export class SweepFolder {
  readonly path: string;
  readonly #plan: Plan;
  readonly #release: () => void;
  /** The folder into which this process writes its runs. */
  readonly #drafts: string;
  #runs: readonly SweepRun[];

  private constructor(path: string, plan: Plan, runs: readonly SweepRun[], release: () => void) {
    this.path = path;
    this.#plan = plan;
    this.#runs = runs;
    this.#release = release;
    this.#drafts = join(path, RUNNING, randomUUID());
  }

  /** Makes the folder, or continues the sweep in it. @throws BadInput if it holds another sweep; FolderTaken. */
  static open(path: string, plan: Plan): SweepFolder {
    writing(path, () => mkdirSync(path, { recursive: true }));
    const release = lockFolder(path);
    try {
      const runs = runsIn(path, plan);
      writing(path, () => {
        removeRunning(path);
        mkdirSync(join(path, SWEEP_RUNS), { recursive: true });
      });
      const folder = new SweepFolder(
        path,
        plan,
        runs.map((run) => adopted(path, run)),
        release,
      );
      folder.#write();
      return folder;
    } catch (error) {
      release();
      throw error;
    }
  }

  get sweep(): Sweep {
    const { axes, grid } = this.#plan;
    return { axes: [...axes], grid, runs: [...this.#runs] };
  }

  get open(): PlannedRun[] {
    const ended = new Set(this.#runs.filter(({ record }) => record !== null).map(({ name }) => name));
    return this.#plan.runs.filter(({ name }) => !ended.has(name));
  }

  /** The path for a run until it has ended. Nothing is there yet. */
  draft(name: string): string {
    const path = join(this.#drafts, name);
    rmSync(path, { recursive: true, force: true });
    return path;
  }

  /** Takes over the run directory at `draft`. It does nothing if the run exists already. @throws Error if the draft has no record. */
  ended(name: string): void {
    if (this.#runs.some((run) => run.name === name && run.record !== null)) return;
    const draft = join(this.#drafts, name);
    const record = readRecord(draft);
    const place = join(this.path, SWEEP_RUNS, name);
    writing(place, () => {
      rmSync(place, { recursive: true, force: true });
      renameSync(draft, place);
      sync(join(this.path, SWEEP_RUNS));
    });
    this.#change(name, { record, error: null });
  }

  failed(name: string, error: string): void {
    this.#change(name, { error });
  }

  #change(name: string, changes: Partial<SweepRun>): void {
    this.#runs = this.#runs.map((run) => (run.name === name ? { ...run, ...changes } : run));
    this.#write();
  }

  #write(): void {
    replaceFile(join(this.path, SWEEP_FILE), writeSweep(this.sweep));
  }

  /** Releases the folder. */
  close(): void {
    removeRunning(this.path);
    this.#release();
  }
}

const readRecord = (folder: string) => readSweepRecord(JSON.parse(readText(join(folder, RECORD_FILE))));

/** Completes a run whose process ended between the rename and the writing of its record. */
function adopted(path: string, run: SweepRun): SweepRun {
  const place = join(path, SWEEP_RUNS, run.name);
  if (run.record !== null || !existsSync(place)) return run;
  return { ...run, record: readRecord(place), error: null };
}

function runsIn(path: string, plan: Plan): readonly SweepRun[] {
  const file = join(path, SWEEP_FILE);
  const fresh = plan.runs.map(({ name, config, settings }): SweepRun => ({
    name,
    task: config.task,
    seed: config.seed,
    settings: { ...settings },
    record: null,
    error: null,
  }));
  if (!existsSync(file)) return fresh;
  const sweep = orBadInput(
    () => readSweep(readText(file, MOST_LOG_BYTES)),
    (why) => `${file}: ${why} Name another folder by --out.`,
  );
  if (sweep.grid === plan.grid) return sweep.runs;
  const done = sweep.runs.filter(({ record }) => record !== null).length;
  throw new BadInput(
    `${path} holds another sweep: its grid is ${sweep.grid}, and the one that is asked for is ${plan.grid}. ${plural(done, 'run')} of ${sweep.runs.length} there ${done === 1 ? 'is' : 'are'} done. Name another folder by --out, give the grid that it was begun with, or remove the folder.`,
  );
}
