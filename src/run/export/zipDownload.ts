/** Files of a run as one zip, which is written while it is saved. */
import { BlobOfPieces } from '@rl-playground/base/blobOfPieces';
import type { OpenFile } from '@rl-playground/engine/parts';
import type { RunConfig } from '../settings/schema/schema.ts';
import type { CheckpointParts } from '../checkpoint/checkpointParts.ts';

/** A zip that is written while it is saved. */
export interface Download {
  readonly filename: string;
  readonly size: number;
  /** Its bytes in order, at most some megabytes at a time. */
  pieces(): AsyncIterable<Uint8Array>;
  /** All of it, which the browser keeps. */
  blob(): Promise<Blob>;
}

/** The settings of a run, null where none has begun, and the steps made. */
export interface RunStep {
  readonly config: RunConfig | null;
  readonly step: number;
}

/** The step that a file of a run is named by. */
export const stepOf = ({ runConfig, trainerState }: CheckpointParts): RunStep => ({
  config: runConfig,
  step: trainerState?.step ?? 0,
});

/** A zip named by the run's task and step. `kind` tells its contents if they are more or less than a checkpoint. */
export async function zipDownload(
  { config, step }: RunStep,
  kind: string,
  files: ReadonlyMap<string, OpenFile>,
): Promise<Download> {
  const { zipPieces, zipSize } = await import('@rl-playground/engine/zip');
  // A task of the user's own may have any name.
  const task = config ? `${config.task.replaceAll(/[^\w.-]+/g, '-')}-` : '';
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
