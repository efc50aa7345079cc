/** The input of `npx rl-playground export`: a run directory, a checkpoint with its base, or a model by any name. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { filesInFolder, fromCaller } from '@rl-playground/engine/parts/node';
import {
  baseOfAdapter,
  OpenFolder,
  mayAskNamed,
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
import {
  filesNamed,
  loadModelNamed,
  modelFilesNamed,
  type RemoteOptions,
} from '@rl-playground/run/models/node';
import { openedModel } from '@rl-playground/run/session/onDevice';
import { modelFolder } from './runDirectory.ts';

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
  const files = new OpenFolder(
    isFolder ? checkpointFolderFiles(modelFolder(path), name) : await filesNamed(name, options),
  );
  if ((await baseOfAdapter(files)) === null)
    return readCheckpoint(files, await baseOfRun(files, base, options));
  const { model, adapter } = await (base === null
    ? modelFilesNamed(name, options)
    : modelFilesNamed(base, options, name));
  return openedModel(model, adapter);
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
  const { hubUrl } = options.hubUrl === undefined ? recorded : options;
  const namedBy = `${files.label}/${BASE_FILE}`;
  if (hubUrl !== undefined) await mayAskNamed(hubUrl, namedBy, options);
  return loadModelNamed(recorded.name, { ...options, ...(hubUrl !== undefined && { hubUrl }) }, namedBy);
}
