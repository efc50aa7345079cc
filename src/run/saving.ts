/** What can be downloaded of a run, each as one zip. */
import type { RunConfig } from '../config/schema.ts';
import type { LoadedModel } from '../hub/types.ts';
import { packArchive } from './checkpoint/archive.ts';
import { writeCheckpoint } from './checkpoint/checkpoint.ts';
import type { CheckpointParts } from './checkpoint/checkpointParts.ts';
import { writeRunArchive } from './records/runDirectory.ts';
import { RunLog } from './records/runLog.ts';
import type { Download } from './types.ts';

/** The run that is saved. */
export interface Savable {
  /** Runs `work` where weights and log are of one step; the other members are for it to call. */
  betweenSteps<T>(work: () => Promise<T>): Promise<T>;
  parts(): Promise<CheckpointParts>;
  model(): Promise<LoadedModel>;
  log(): RunLog | null;
  at(): { readonly config: RunConfig | null; readonly step: number };
}

export class RunSaver {
  readonly #run: Savable;

  constructor(run: Savable) {
    this.#run = run;
  }

  async checkpoint(): Promise<Download> {
    const parts = await this.#run.betweenSteps(() => this.#run.parts());
    return zipDownload(atOf(parts), '', await writeCheckpoint(parts));
  }

  async runDirectory(): Promise<Download> {
    const { parts, log } = await this.#run.betweenSteps(async () => ({
      parts: await this.#run.parts(),
      log: this.#run.log() ?? new RunLog(),
    }));
    return zipDownload(atOf(parts), '-run', await writeRunArchive(parts, log));
  }

  async takeCheckpoint(step: number): Promise<Download> {
    const log = this.#run.log();
    const files = log?.checkpoints.find((kept) => kept.step === step)?.files;
    if (!log || files === undefined) throw new Error(`No checkpoint of step ${step} is kept.`);
    log.releaseCheckpoint(step);
    return zipDownload({ ...this.#run.at(), step }, '', await packArchive(files));
  }

  async onnx(onProgress: (share: number) => void): Promise<Download> {
    const { writeOnnxArchive } = await import('./checkpoint/onnxArchive.ts');
    const { model, at } = await this.#run.betweenSteps(async () => ({
      at: this.#run.at(),
      model: await this.#run.model(),
    }));
    return zipDownload(at, '-onnx', await writeOnnxArchive(model, onProgress));
  }
}

const atOf = ({ runConfig, trainerState }: CheckpointParts): ReturnType<Savable['at']> => ({
  config: runConfig,
  step: trainerState?.step ?? 0,
});

/** Named by the run's task and step; `kind` says what is in it, where that is more or less than a checkpoint. */
function zipDownload({ config, step }: ReturnType<Savable['at']>, kind: string, bytes: Uint8Array): Download {
  const task = config ? `${config.task}-` : '';
  return {
    filename: `rl-playground-${task}step-${step}${kind}.zip`,
    blob: new Blob([bytes as Uint8Array<ArrayBuffer>], { type: 'application/zip' }),
  };
}
