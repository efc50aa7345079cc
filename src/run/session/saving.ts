/** The files of a run that a person can download, each as one zip. */
import type { LoadedModel } from '@rl-playground/engine/parts';
import { withBase } from '../checkpoint/baseModel.ts';
import { checkpointFiles } from '../checkpoint/checkpoint.ts';
import { stepOf, zipDownload, type Download } from '../export/zipDownload.ts';
import { runFiles } from '../directory/runDirectory.ts';
import { RunLog } from '../records/runLog.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import type { RunAtRest, SaveOptions } from './types.ts';

/** A zip in Hugging Face layout with optimizer state, settings, metrics and evaluations. */
export async function checkpointZip({ parts }: RunAtRest, { full = false }: SaveOptions): Promise<Download> {
  const files = await checkpointFiles(parts);
  return zipDownload(stepOf(parts), '', full ? withBase(files, parts.model) : files);
}

/** The run directory as one zip. @throws Error where no run has begun. */
export async function directoryZip(
  { parts, log }: RunAtRest,
  { words = null }: SaveOptions,
): Promise<Download> {
  return zipDownload(
    stepOf(parts),
    '-run',
    await runFiles(parts, log ?? new RunLog(), words ?? log?.words ?? null),
  );
}

/** A checkpoint that was kept on the way, which the log then forgets. @throws Error where it has none of that step. */
export async function keptCheckpointZip(
  log: RunLog | null,
  step: number,
  of: { readonly config: RunConfig | null; readonly base: LoadedModel },
  { full = false }: SaveOptions,
): Promise<Download> {
  const files = log?.checkpoints.find((kept) => kept.step === step)?.files;
  if (!log || files === undefined) throw new Error(`No checkpoint of step ${step} is kept.`);
  log.releaseCheckpoint(step);
  return zipDownload({ config: of.config, step }, '', full ? withBase(files, of.base) : files);
}
