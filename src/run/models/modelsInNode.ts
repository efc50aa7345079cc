/** The models that programs under Node name: paths of this machine, bundled ones, and those of the Hub or of a server, which are kept on disk. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { filesAtPath, fromCaller, isModelPath } from '../../hub/filesInNode.ts';
import { loadModel } from '../../hub/load.ts';
import { fetchedToDisk, type FetchOptions } from '../../hub/remote/diskCache.ts';
import { parseModelAddress } from '../../hub/remote/modelAddress.ts';
import type { FindOptions } from '../../hub/remote/listing.ts';
import { filesOf, findModel } from '../../hub/remote/remoteModel.ts';
import { ModelFileError, type LoadedModel, type ModelFiles } from '../../hub/types.ts';
import { BUNDLED_MODELS } from './namedModels.ts';

/** The folder of one of `BUNDLED_MODELS`. */
export function bundledFolder(name: string): string {
  return fileURLToPath(new URL(`../../../public/models/${name}`, import.meta.url));
}

/** How servers are asked, and who hears of what comes. */
export type RemoteOptions = FindOptions & FetchOptions;

export interface FoundModel {
  /** Readable at once; those of a server by ranges, so that configs and headers come before any weights. */
  readonly files: ModelFiles;
  /** Bytes that are still to come at most. */
  readonly remoteBytes: number;
  /** The folder or zip on this machine, fetched where it was not there. @throws ModelFileError where it can't be had. */
  readonly fetched: () => Promise<string>;
}

async function onThisMachine(path: string, label: string): Promise<FoundModel> {
  return { files: await filesAtPath(path, label), remoteBytes: 0, fetched: () => Promise.resolve(path) };
}

/**
 * In this order: the path of a folder or zip in Hugging Face layout, absolute or relative to where the caller stands; a bundled model;
 * `org/name[@revision]` of the Hub; the URL of a folder. Files go by the text that names them.
 * @throws ModelFileError where there is nothing of this name.
 */
export async function findModelNamed(text: string, options: RemoteOptions = {}): Promise<FoundModel> {
  const path = fromCaller(text);
  const bundled = BUNDLED_MODELS.includes(text);
  if (isModelPath(text) || (existsSync(path) && !bundled)) return onThisMachine(path, text);
  if (bundled) return onThisMachine(bundledFolder(text), text);
  const address = parseModelAddress(text);
  if (address === null)
    throw new ModelFileError(
      `There is no model "${text}"; pass one of ${BUNDLED_MODELS.join(', ')}, the path of a folder or zip with config.json, weights and tokenizer, org/name of the Hugging Face Hub, or a folder's URL.`,
    );
  const model = await findModel(address, options);
  return {
    files: filesOf(model, options),
    remoteBytes: model.bytes,
    fetched: () => fetchedToDisk(model, options),
  };
}

/** The files on this machine. @throws ModelFileError as `findModelNamed`, and where they can't be fetched. */
export async function modelFilesNamed(text: string, options: RemoteOptions = {}): Promise<ModelFiles> {
  const { files, fetched } = await findModelNamed(text, options);
  const { label, origin } = files;
  return { ...(await filesAtPath(await fetched(), label)), ...(origin ? { origin } : {}) };
}

/** @throws ModelFileError where there is no such model, or it can't be used. */
export async function loadModelNamed(text: string, options: RemoteOptions = {}): Promise<LoadedModel> {
  return loadModel(await modelFilesNamed(text, options));
}
