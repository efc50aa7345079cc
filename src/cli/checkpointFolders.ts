/**
 * The checkpoints in a run directory. Each is written to a folder that ends in `.tmp`, its commit record last, synced, and then renamed.
 * So a folder under its own name is whole, whatever happened meanwhile.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { messageOf } from '@rl-playground/base/errors';
import { openOnDisk, filesAtPath, inside } from '@rl-playground/engine/parts/node';
import {
  OpenFolder,
  type ModelFiles,
  filePieces,
  COMMIT_FILE,
  commitText,
  readCommit,
  type FileSum,
} from '@rl-playground/engine/parts';
import { trainerStateFromJson, type TrainerState } from '@rl-playground/run/checkpoint';
import { checkpointFolder, RUN_DIRECTORY } from '@rl-playground/run/directory';
import { DRAFT, replaceFile, sync, writeOpenFile, writing, readText } from '@rl-playground/run/disk';

const CHECKPOINT = /^checkpoint-(-?\d+)$/;

/** A folder of a run directory that has a commit record. */
export interface KeptCheckpoint {
  /** The name of the folder in the run directory. */
  readonly name: string;
  readonly state: TrainerState;
}

/**
 * Writes files, or those of the zip at a path, as one folder, which is there whole or not at all. It replaces one of that name. No file
 * of a zip is in memory as a whole.
 *
 * @returns the names of the files, sorted.
 *
 * @throws WriteError; Error if an entry would be outside of `folder`.
 */
export async function writeCheckpoint(folder: string, from: string | ModelFiles): Promise<string[]> {
  const draft = folder + DRAFT;
  const files = typeof from === 'string' ? await filesAtPath(from) : from;
  const names = [...(files.names ?? [])].sort();
  for (const name of names)
    if (!resolve(draft, name).startsWith(resolve(draft) + sep))
      throw new Error(`The checkpoint holds "${name}", which lies outside of ${folder}.`);
  rmSync(draft, { recursive: true, force: true });
  try {
    const sums = await writeFiles(draft, files, names);
    replaceFile(join(draft, COMMIT_FILE), commitText(sums));
    writing(folder, () => {
      for (const path of new Set(names.map((name) => dirname(join(draft, name))))) sync(path);
      rmSync(folder, { recursive: true, force: true });
      renameSync(draft, folder);
      sync(dirname(folder));
    });
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
  return names;
}

async function writeFiles(
  folder: string,
  files: ModelFiles,
  names: readonly string[],
): Promise<Map<string, FileSum>> {
  const sums = new Map<string, FileSum>();
  for (const name of names) {
    const file = await files.open(name);
    if (file !== null) sums.set(name, await writeOpenFile(join(folder, name), file));
  }
  return sums;
}

/** Removes a folder under another name, so that no part of it is taken for a checkpoint. */
export function removeCheckpoint(folder: string): void {
  if (!existsSync(folder)) return;
  rmSync(folder + DRAFT, { recursive: true, force: true });
  renameSync(folder, folder + DRAFT);
  rmSync(folder + DRAFT, { recursive: true, force: true });
}

/** Removes what an earlier process did not finish writing or removing. */
export function removeDrafts(runFolder: string): void {
  for (const name of readdirSync(runFolder)) {
    const whole = name.slice(0, -DRAFT.length);
    if (name.endsWith(DRAFT) && (CHECKPOINT.test(whole) || whole === RUN_DIRECTORY.finalModel))
      rmSync(join(runFolder, name), { recursive: true, force: true });
  }
}

/** The position of a run's weights: its step, or minus the number of updates of the warm-up that were still to come. */
export function positionOf({ step, sftLosses }: TrainerState, warmStartSteps: number): number {
  return step + sftLosses.length - warmStartSteps;
}

/** The trainer's state in the files of a checkpoint. @throws Error if there is none, or if it can't be read. */
export async function trainerStateIn(files: ModelFiles): Promise<TrainerState> {
  const json = await new OpenFolder(files).json('trainer_state.json');
  if (json === null) throw new Error(`${files.label} holds no trainer_state.json.`);
  const stated = trainerStateFromJson(json);
  if (stated === null) throw new Error(`${files.label}: trainer_state.json was written by another trainer.`);
  return stated.state;
}

/** The checkpoints of a run directory, each by the position in its name, the earliest first, without `final_model`. */
export function checkpointPositions(runFolder: string): number[] {
  return readdirSync(runFolder)
    .flatMap((name) => CHECKPOINT.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

/** The reason why the files of a folder are not those that were committed; null if they are. */
async function damageOf(folder: string): Promise<string | null> {
  try {
    for (const [name, { bytes, sha256 }] of readCommit(readText(inside(folder, COMMIT_FILE)))) {
      const path = inside(folder, name);
      const { size } = statSync(path);
      if (size !== bytes) return `${name} has ${size} bytes, ${bytes} were written`;
      const hash = createHash('sha256');
      for await (const piece of filePieces(openOnDisk(path))) hash.update(piece);
      if (hash.digest('hex') !== sha256) return `${name} is not what was written (its SHA-256 differs)`;
    }
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/**
 * The latest checkpoint of a run directory whose files are what was written; null if there is none. `onDamage` receives a message about
 * each folder that is skipped.
 */
export async function latestCheckpoint(
  runFolder: string,
  warmStartSteps: number,
  onDamage: (text: string) => void,
): Promise<KeptCheckpoint | null> {
  const names = [RUN_DIRECTORY.finalModel, ...checkpointPositions(runFolder).map(checkpointFolder)];
  const found: KeptCheckpoint[] = [];
  for (const name of names) {
    const folder = inside(runFolder, name);
    if (!existsSync(join(folder, COMMIT_FILE))) continue;
    try {
      found.push({ name, state: await trainerStateIn(await filesAtPath(folder, name)) });
    } catch (error) {
      onDamage(`${name} is passed over: ${messageOf(error)}`);
    }
  }
  const at = ({ state }: KeptCheckpoint): number => positionOf(state, warmStartSteps);
  // The end of the run sorts as the later of two checkpoints of one step: it has the last evaluation.
  for (const kept of found.sort((a, b) => at(b) - at(a))) {
    const damage = await damageOf(join(runFolder, kept.name));
    if (damage === null) return kept;
    onDamage(`${kept.name} is passed over: ${damage}`);
  }
  return null;
}
