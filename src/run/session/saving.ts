/** What can be downloaded of a run, each as one zip. */
import type { LoadedModel } from '@rl-playground/engine/parts';
import { withBase } from '../checkpoint/baseModel.ts';
import { checkpointFiles } from '../checkpoint/checkpoint.ts';
import type { CheckpointParts } from '../checkpoint/checkpointParts.ts';
import { stepOf, zipDownload, type Download, type RunStep } from '../export/zipDownload.ts';
import { runFiles } from '../directory/runDirectory.ts';
import { RunLog, type RunWords } from '../records/runLog.ts';
import type { RunAtRest, SaveOptions } from './types.ts';

/** The run that is saved. */
export interface Savable {
  /** Runs `work` where weights and log are of one step; the other members are for it to call. */
  betweenSteps<T>(work: () => Promise<T>): Promise<T>;
  parts(): Promise<CheckpointParts>;
  log(): RunLog | null;
  /** The model that the run began from. */
  base(): LoadedModel;
  at(): RunStep;
}

export class RunSaver {
  readonly #run: Savable;

  constructor(run: Savable) {
    this.#run = run;
  }

  async checkpoint({ full = false }: SaveOptions = {}): Promise<Download> {
    const parts = await this.#run.betweenSteps(() => this.#run.parts());
    const files = await checkpointFiles(parts);
    return zipDownload(stepOf(parts), '', full ? withBase(files, parts.model) : files);
  }

  /** `words`: what it is called now. */
  async runDirectory(words: RunWords | null): Promise<Download> {
    const { parts, log } = await this.#run.betweenSteps(async () => ({
      parts: await this.#run.parts(),
      log: this.#run.log() ?? new RunLog(),
    }));
    return zipDownload(stepOf(parts), '-run', await runFiles(parts, log, words));
  }

  async takeCheckpoint(step: number, { full = false }: SaveOptions = {}): Promise<Download> {
    const log = this.#run.log();
    const files = log?.checkpoints.find((kept) => kept.step === step)?.files;
    if (!log || files === undefined) throw new Error(`No checkpoint of step ${step} is kept.`);
    log.releaseCheckpoint(step);
    const all = full ? withBase(files, this.#run.base()) : files;
    return zipDownload({ ...this.#run.at(), step }, '', all);
  }

  /** What whoever writes the run in another form needs of it. */
  async atRest(): Promise<RunAtRest> {
    const parts = await this.#run.betweenSteps(() => this.#run.parts());
    return { parts, began: this.#run.base().weights };
  }
}
