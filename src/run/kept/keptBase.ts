/** The frozen base of an adapter's run, where it is kept among the models of the Hub. */
import {
  keptModels,
  openKept,
  OpenFolder,
  type LoadedModel,
  type ModelFiles,
} from '@rl-playground/engine/parts';
import { holdsBase, parseBase } from '../checkpoint/baseModel.ts';
import { BASE_FILE } from '../checkpoint/runFiles.ts';
import { BASE_FOLDER } from './keptRun.ts';

/** True if the files of a model of the Hub are kept as such. */
export async function isCached({ origin }: LoadedModel): Promise<boolean> {
  return origin !== undefined && (await cachedKey(origin.name, origin.commit)) !== null;
}

async function cachedKey(name: string, commit: string | null): Promise<string | null> {
  const kept = (await keptModels()).find(
    ({ origin, whole }) => whole && origin.name === name && origin.commit === commit,
  );
  return kept?.key ?? null;
}

/** Adds the base to the files of a commit, where it lies among the models of the Hub. */
export async function withKeptBase(files: ModelFiles): Promise<ModelFiles> {
  const folder = OpenFolder.of(files);
  const record = await folder.json(BASE_FILE);
  if (record === null || (await holdsBase(folder))) return folder;
  const { name, revision } = parseBase(record, folder.label);
  const key = await cachedKey(name, revision);
  const base = key && (await openKept(key));
  if (base) folder.mount(BASE_FOLDER, base);
  return folder;
}
