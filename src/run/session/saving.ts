/** What can be downloaded of a run, each as one zip. */
import { BlobOfPieces } from '@rl-playground/base/blobOfPieces';
import type { RunConfig } from '../settings/schema/schema.ts';
import type { LoadedModel, OpenFile } from '@rl-playground/engine/parts';
import { withBase } from '../checkpoint/baseModel.ts';
import { checkpointFiles } from '../checkpoint/checkpoint.ts';
import type { CheckpointParts } from '../checkpoint/checkpointParts.ts';
import type { WatchOptions } from '../export/watched.ts';
import type { HandoffSystem } from '../../bridges/handoff/systems.ts';
import { runFiles } from '../records/runDirectory.ts';
import { RunLog, type RunWords } from '../records/runLog.ts';
import type { Download, ExportRequest, SaveOptions } from './types.ts';

/** The run that is saved. */
export interface Savable {
  /** Runs `work` where weights and log are of one step; the other members are for it to call. */
  betweenSteps<T>(work: () => Promise<T>): Promise<T>;
  parts(): Promise<CheckpointParts>;
  log(): RunLog | null;
  /** The model that the run began from. */
  base(): LoadedModel;
  at(): { readonly config: RunConfig | null; readonly step: number };
}

export class RunSaver {
  readonly #run: Savable;

  constructor(run: Savable) {
    this.#run = run;
  }

  async checkpoint({ full = false }: SaveOptions = {}): Promise<Download> {
    const parts = await this.#run.betweenSteps(() => this.#run.parts());
    const files = await checkpointFiles(parts);
    return zipDownload(atOf(parts), '', full ? withBase(files, parts.model) : files);
  }

  /** `words`: what it is called now. */
  async runDirectory(words: RunWords | null): Promise<Download> {
    const { parts, log } = await this.#run.betweenSteps(async () => ({
      parts: await this.#run.parts(),
      log: this.#run.log() ?? new RunLog(),
    }));
    return zipDownload(atOf(parts), '-run', await runFiles(parts, log, words));
  }

  async takeCheckpoint(step: number, { full = false }: SaveOptions = {}): Promise<Download> {
    const log = this.#run.log();
    const files = log?.checkpoints.find((kept) => kept.step === step)?.files;
    if (!log || files === undefined) throw new Error(`No checkpoint of step ${step} is kept.`);
    log.releaseCheckpoint(step);
    const all = full ? withBase(files, this.#run.base()) : files;
    return zipDownload({ ...this.#run.at(), step }, '', all);
  }

  /** The files that `request` asks for, calculated as they are read. */
  async exportFiles({ format, type }: ExportRequest): Promise<ReadonlyMap<string, OpenFile>> {
    const { exportFiles } = await import('../../bridges/export/exportFiles.ts');
    const parts = await this.#run.betweenSteps(() => this.#run.parts());
    return exportFiles(parts, { format, type, base: this.#run.base().weights });
  }

  async exportModel(request: ExportRequest, { onProgress, signal }: WatchOptions): Promise<Download> {
    const { watched } = await import('../export/watched.ts');
    const files = await this.exportFiles(request);
    // A zip reads each file twice: for its sum, and to write it.
    const read = watched(files, { times: 2, onProgress, signal });
    return zipDownload(this.#run.at(), `-${request.format}-${request.type.toLowerCase()}`, read);
  }

  async handOver(system: HandoffSystem, { onProgress, signal }: WatchOptions): Promise<Download> {
    const [{ watched }, { handoffFiles }] = await Promise.all([
      import('../export/watched.ts'),
      import('../../bridges/handoff/handoffFiles.ts'),
    ]);
    const parts = await this.#run.betweenSteps(() => this.#run.parts());
    const files = watched(await handoffFiles(parts, { system }), { times: 2, onProgress, signal });
    return zipDownload(atOf(parts), `-${system}`, files);
  }
}

const atOf = ({ runConfig, trainerState }: CheckpointParts): ReturnType<Savable['at']> => ({
  config: runConfig,
  step: trainerState?.step ?? 0,
});

/** Named by the run's task and step; `kind` says what is in it, where that is more or less than a checkpoint. */
async function zipDownload(
  { config, step }: ReturnType<Savable['at']>,
  kind: string,
  files: ReadonlyMap<string, OpenFile>,
): Promise<Download> {
  const { zipPieces, zipSize } = await import('@rl-playground/engine/zip');
  const task = config ? `${config.task}-` : '';
  return {
    filename: `rl-playground-${task}step-${step}${kind}.zip`,
    size: zipSize(files),
    pieces: () => zipPieces(files),
    async blob() {
      const blob = new BlobOfPieces();
      for await (const bytes of zipPieces(files)) blob.add(bytes);
      return blob.blob('application/zip');
    },
  };
}
