/** A folder of files that is there whole, or not at all: a program that is ended half-way leaves what was there, and a folder whose name says what it is. */
import { existsSync, mkdirSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inside } from '@rl-playground/engine/parts/node';
import type { OpenFile } from '@rl-playground/engine/parts';
import { sync, writeOpenFile, writing } from '@rl-playground/run/disk';

/** The end of the name of a folder that is being written, and the name of the one in which files for a folder that is there are written. */
export const UNFINISHED = '.unfinished';

/**
 * Writes files, by their paths below the folder at `path`, and puts them in place when all of them are there. A folder that is not there yet is written beside its
 * name and renamed. In one that is there files of the same names are replaced and others stay; whoever is ended while they are moved leaves `.unfinished` in it.
 * `onFile` hears of each that is written.
 * @throws WriteError, ModelFileError where a part of a path is a link, and what reading throws; the folder is then what it was.
 */
export async function writeWholeFolder(
  path: string,
  files: ReadonlyMap<string, OpenFile>,
  onFile: (name: string, file: OpenFile) => void,
): Promise<void> {
  const isNew = !existsSync(path);
  // A link to a folder on another disk stays one, and what is moved stays on its disk.
  const folder = isNew ? path : realpathSync(path);
  const draft = isNew ? folder + UNFINISHED : join(folder, UNFINISHED);
  writing(draft, () => {
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { recursive: true });
  });
  let places: readonly { readonly from: string; readonly to: string }[];
  try {
    for (const [name, file] of files) {
      await writeOpenFile(join(draft, name), file);
      onFile(name, file);
    }
    places = [...files.keys()].map((name) => ({ from: join(draft, name), to: inside(folder, name) }));
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
  writing(folder, () => {
    if (isNew) renameSync(draft, folder);
    else {
      for (const { from, to } of places) {
        mkdirSync(dirname(to), { recursive: true });
        renameSync(from, to);
      }
      rmSync(draft, { recursive: true });
    }
    sync(isNew ? dirname(folder) : folder);
  });
}
