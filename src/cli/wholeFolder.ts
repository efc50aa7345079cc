/**
 * Writes a folder of files whole or not at all. A program that is ended half-way leaves the old files, and a folder whose name says that
 * it is unfinished.
 */
import { existsSync, mkdirSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inside } from '@rl-playground/engine/parts/node';
import type { OpenFile } from '@rl-playground/engine/parts';
import { sync, writeOpenFile, writing } from '@rl-playground/run/disk';

/** The ending of the name of a folder that is being written. Files for an existing folder are written into a folder of this name. */
export const UNFINISHED = '.unfinished';

/**
 * Writes files, given by their paths below the folder at `path`, and puts them in place when all of them are written. A new folder is
 * written beside its place and renamed. In an existing folder files of the same names are replaced and others stay; a process that is
 * ended while it moves files leaves `.unfinished` there. `onFile` is called for each file that is written.
 * @throws WriteError, ModelFileError if a part of a path is a link, and the errors of reading; the folder is then as before.
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
