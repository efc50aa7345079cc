/**
 * The checkpoints in a run directory. One is written to a folder that ends in `.tmp`, its commit record last, synced, and then renamed: so
 * a folder under its own name is whole, whatever happened meanwhile.
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
  /** In the run directory. */
  readonly name: string;
  readonly state: TrainerState;
}

/**
 * Writes files, or those of the zip at a path, as one folder, which is there whole or not at all; one of that name is replaced. No file
 * of a zip is in memory as a whole.
 *
 * @returns the names of the files, sorted.
 * @throws WriteError; Error when an entry would land outside of `folder`.
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

/** Takes a folder away under another name, so that no part of it is taken for a checkpoint. */
export function removeCheckpoint(folder: string): void {
  if (!existsSync(folder)) return;
  rmSync(folder + DRAFT, { recursive: true, force: true });
  renameSync(folder, folder + DRAFT);
  rmSync(folder + DRAFT, { recursive: true, force: true });
}

/** Takes away what an earlier process did not write, or take away, to the end. */
export function removeDrafts(runFolder: string): void {
  for (const name of readdirSync(runFolder)) {
    const whole = name.slice(0, -DRAFT.length);
    if (name.endsWith(DRAFT) && (CHECKPOINT.test(whole) || whole === RUN_DIRECTORY.finalModel))
      rmSync(join(runFolder, name), { recursive: true, force: true });
  }
}

/** Where the weights of a run stand: its step, or minus the updates of the warm start that were still to come. */
export function positionOf({ step, sftLosses }: TrainerState, warmStartSteps: number): number {
  return step + sftLosses.length - warmStartSteps;
}

/** The trainer's state in the files of a checkpoint. @throws Error where there is none, or it can't be read. */
export async function trainerStateIn(files: ModelFiles): Promise<TrainerState> {
  const json = await new OpenFolder(files).json('trainer_state.json');
  if (json === null) throw new Error(`${files.label} holds no trainer_state.json.`);
  const stated = trainerStateFromJson(json);
  if (stated === null) throw new Error(`${files.label}: trainer_state.json was written by another trainer.`);
  return stated.state;
}

/** Those of a run directory, each by the position in its name, the earliest first; `final_model` is none of them. */
export function checkpointPositions(runFolder: string): number[] {
  return readdirSync(runFolder)
    .flatMap((name) => CHECKPOINT.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

/** Why the files of a folder are not those that were committed; null where they are. */
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
 * The checkpoint of a run directory that the run stands furthest in, and whose files are what was written; null where there is none.
 * `onDamage` hears of folders that are passed over.
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
  // Of two that stand at the same place the end of the run is the later: it has the last evaluation.
  for (const kept of found.sort((a, b) => at(b) - at(a))) {
    const damage = await damageOf(join(runFolder, kept.name));
    if (damage === null) return kept;
    onDamage(`${kept.name} is passed over: ${damage}`);
  }
  return null;
}
