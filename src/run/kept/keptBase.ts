/** The frozen base of an adapter's run, where it is kept among the models of the Hub. */
import { keptModels, openKept, type LoadedModel, type ModelFiles } from '@rl-playground/engine/parts';
import { BASE_FILE } from '../checkpoint/baseModel.ts';
import { BASE_FOLDER } from './keptRun.ts';

/** Whether the files of a model of the Hub are kept as such. */
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
  const record = await files.open(BASE_FILE);
  if (record === null || files.names?.some((name) => name.startsWith(`${BASE_FOLDER}/`)) === true)
    return files;
  const { name, revision } = JSON.parse(new TextDecoder().decode(await record.read(0, record.size))) as {
    name: string;
    revision: string | null;
  };
  const key = await cachedKey(name, revision);
  const base = key && (await openKept(key));
  if (!base) return files;
  const prefix = `${BASE_FOLDER}/`;
  return {
    ...files,
    names: [...(files.names ?? []), ...(base.names ?? []).map((each) => prefix + each)],
    open: (path, options) =>
      path.startsWith(prefix) ? base.open(path.slice(prefix.length), options) : files.open(path, options),
  };
}
