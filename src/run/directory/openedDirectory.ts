/** A run directory, opened again: the run as its newest model has it, and with it its answers and the checkpoints that were kept on the way. */
import * as z from 'zod';
import { messageOf } from '@rl-playground/base/errors';
import {
  openBytes,
  OpenFolder,
  filesUnder,
  ModelFileError,
  type ModelFiles,
  type OpenFile,
} from '@rl-playground/engine/parts';
import type { CheckpointParts } from '../checkpoint/checkpointParts.ts';
import { checkpointFolder, RUN_DIRECTORY } from './runDirectory.ts';
import { lineSpans } from '../records/rolloutIndex.ts';
import { RunLog, type RunWords } from '../records/runLog.ts';

const CHECKPOINT_FOLDER = /^checkpoint-(0|[1-9]\d{0,14})\/trainer_state\.json$/;

const stepsOf = (names: readonly string[]): number[] =>
  names
    .flatMap((name) => CHECKPOINT_FOLDER.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);

/** The folder of its newest model: of a run that was broken off, its last checkpoint. The result is null if the files are of no run directory. */
export function newestModelFolder(names: readonly string[]): string | null {
  if (!names.includes(RUN_DIRECTORY.metrics)) return null;
  if (names.includes(`${RUN_DIRECTORY.finalModel}/config.json`)) return RUN_DIRECTORY.finalModel;
  const last = stepsOf(names).at(-1);
  return last === undefined ? null : checkpointFolder(last);
}

const wordsSchema = z.object({ name: z.string().min(1), note: z.string().optional() });
/** More bytes than a name and a note need. */
const MOST_WORDS = 65_536;

/** Reads the words; null if there are none that can be read: the rest opens without them. */
async function wordsOf(directory: OpenFolder): Promise<RunWords | null> {
  const file = await directory.open(RUN_DIRECTORY.words);
  if (file === null || file.size > MOST_WORDS) return null;
  await directory.read(RUN_DIRECTORY.words);
  try {
    return wordsSchema.safeParse(directory.object(RUN_DIRECTORY.words)).data ?? null;
  } catch {
    return null;
  }
}

/** The first bytes of `rollouts.jsonl` that are of steps up to one, and the number of those steps. @throws Error if a line names no step. */
export async function rolloutsUpTo(file: OpenFile, last: number): Promise<{ steps: number; bytes: number }> {
  const steps = new Set<number>();
  let bytes = 0;
  for await (const { step, end } of lineSpans(file)) {
    if (step > last) break;
    steps.add(step);
    bytes = end;
  }
  return { steps: steps.size, bytes };
}

function firstOf(file: OpenFile, bytes: number): OpenFile {
  return { size: bytes, read: (begin, end) => file.read(begin, Math.min(end, bytes)) };
}

/** Adds the checkpoints up to a step. Each name is looked at once, for a directory may hold 100,000. */
async function addCheckpoints(log: RunLog, directory: OpenFolder, last: number): Promise<void> {
  const { names = [] } = directory;
  const saved = stepsOf(names).filter((step) => step <= last);
  const found = new Map(saved.map((step) => [checkpointFolder(step), new Map<string, OpenFile>()]));
  for (const name of names) {
    const end = name.indexOf('/');
    const inside = found.get(name.slice(0, Math.max(0, end)));
    const file = inside && (await directory.open(name));
    if (file) inside.set(name.slice(end + 1), file);
  }
  for (const step of saved) log.addCheckpoint(step, found.get(checkpointFolder(step)) ?? new Map());
}

/**
 * Reads what `runFiles` wrote. `openRun` reads the checkpoint in a folder of it.
 *
 * @throws ModelFileError if `rollouts.jsonl` is damaged, and what `openRun` throws.
 */
export async function openedDirectory(
  files: ModelFiles,
  folder: string,
  openRun: (files: ModelFiles) => Promise<CheckpointParts>,
): Promise<{ readonly parts: CheckpointParts; readonly log: RunLog }> {
  const directory = new OpenFolder(files);
  const parts = await openRun(filesUnder(directory, folder));
  const step = parts.trainerState?.step ?? 0;
  const log = new RunLog();
  const rollouts = (await directory.open(RUN_DIRECTORY.rollouts)) ?? openBytes(new Uint8Array());
  try {
    const { steps, bytes } = await rolloutsUpTo(rollouts, step);
    log.store(step, { steps, file: bytes === 0 ? null : firstOf(rollouts, bytes) });
  } catch (error) {
    throw new ModelFileError(
      `${files.label}: ${RUN_DIRECTORY.rollouts} can’t be read: ${messageOf(error)}. Take the file out to open the rest.`,
      { cause: error },
    );
  }
  log.words = await wordsOf(directory);
  await addCheckpoints(log, directory, step);
  return { parts, log };
}
