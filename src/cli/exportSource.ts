/** The input of `npx rl-playground export`: a run directory, a checkpoint with its base, or a model by any name. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { filesInFolder, fromCaller } from '@rl-playground/engine/parts/node';
import {
  baseOfAdapter,
  OpenFolder,
  mayAskNamed,
  ModelFileError,
  type LoadedModel,
  type ModelFiles,
} from '@rl-playground/engine/parts';
import {
  BASE_FILE,
  holdsBase,
  namedBase,
  readCheckpoint,
  type CheckpointParts,
} from '@rl-playground/run/checkpoint';
import { BUNDLED_MODELS } from '@rl-playground/run/models';
import {
  filesNamed,
  loadModelNamed,
  modelFilesNamed,
  type RemoteOptions,
} from '@rl-playground/run/models/node';
import { openedModel } from '@rl-playground/run/session/onDevice';
import { modelFolder } from './runDirectory.ts';
import { readStart, START_FILE } from './startRecord.ts';

/** A folder whose evaluations are listed too, like those of a zip. */
function checkpointFolderFiles(folder: string, label: string): ModelFiles {
  const files = filesInFolder(folder, label);
  const evaluations = join(folder, 'eval_results');
  const found = existsSync(evaluations) ? readdirSync(evaluations).map((name) => `eval_results/${name}`) : [];
  return { ...files, names: [...(files.names ?? []), ...found] };
}

/** @throws ModelFileError if there is no such model, or if it can't be used. */
export async function readRun(
  name: string,
  base: string | null,
  options: RemoteOptions,
): Promise<CheckpointParts> {
  const path = fromCaller(name);
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const folder = isFolder ? modelFolder(path) : null;
  const files = new OpenFolder(
    folder === null ? await filesNamed(name, options) : checkpointFolderFiles(folder, name),
  );
  if ((await baseOfAdapter(files)) === null)
    return readCheckpoint(files, await baseOfRun(files, base ?? (folder && baseBeside(folder)), options));
  const { model, adapter } = await (base === null
    ? modelFilesNamed(name, options)
    : modelFilesNamed(base, options, name));
  return openedModel(model, adapter);
}

/** The place of the model on this machine, as the run that a checkpoint belongs to has recorded it; null where it has not, or moved. */
function baseBeside(folder: string): string | null {
  const run = [folder, dirname(folder)].find((each) => existsSync(join(each, START_FILE)));
  const model = run === undefined ? null : readStart(run).start.model;
  // A model of a server is found by its name and commit.
  const place = model?.origin === null ? model.paths.model : null;
  return place !== null && existsSync(place) ? place : null;
}

/** The base of a checkpoint that does not hold it; null for others. */
async function baseOfRun(
  files: OpenFolder,
  asked: string | null,
  options: RemoteOptions,
): Promise<LoadedModel | null> {
  const record = await files.json(BASE_FILE);
  if (record === null || (asked === null && (await holdsBase(files)))) return null;
  const recorded = namedBase(record, files.label);
  if (asked !== null) return loadModelNamed(asked, options);
  if (!/[\\/]/.test(recorded.name) && !BUNDLED_MODELS.includes(recorded.name))
    throw new ModelFileError(
      `${files.label} holds an adapter for the model ${recorded.name}, and not the model itself. Give the folder or zip of that model with --base.`,
    );
  const { hubUrl } = options.hubUrl === undefined ? recorded : options;
  const namedBy = `${files.label}/${BASE_FILE}`;
  if (hubUrl !== undefined) await mayAskNamed(hubUrl, namedBy, options);
  return loadModelNamed(recorded.name, { ...options, ...(hubUrl !== undefined && { hubUrl }) }, namedBy);
}
