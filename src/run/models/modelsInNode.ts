/** The models that programs under Node name: paths of this machine, bundled ones, and those of the Hub or of a server, which are kept on disk. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  filesAtPath,
  fromCaller,
  isModelPath,
  fetchedToDisk,
  type FetchOptions,
} from '@rl-playground/engine/parts/node';
import { messageOf } from '@rl-playground/base/errors';
import {
  loadModel,
  OpenFolder,
  baseOfAdapter,
  parseModelAddress,
  type FindOptions,
  mayAskNamed,
  filesOf,
  findModel,
  ModelFileError,
  type LoadedModel,
  type ModelFiles,
} from '@rl-playground/engine/parts';
import { BUNDLED_MODELS } from './bundledModels.ts';

/** The folder of one of `BUNDLED_MODELS`: in the page that the installed command line brings along, or in the repository. */
export function bundledFolder(name: string): string {
  const installed = fileURLToPath(new URL(`../site/models/${name}`, import.meta.url));
  if (existsSync(installed)) return installed;
  return fileURLToPath(new URL(`../../../public/models/${name}`, import.meta.url));
}

/** Options for asking servers, and for those who hear of what arrives. */
export type RemoteOptions = FindOptions & FetchOptions;

/** A model, and beside it the LoRA adapter that was named, if it was one. */
export interface NamedFiles {
  readonly model: ModelFiles;
  readonly adapter: ModelFiles | null;
}

/** The folders or zips on this machine. */
export interface ModelPaths {
  readonly model: string;
  readonly adapter: string | null;
}

export interface FoundModel extends NamedFiles {
  /** The most bytes that are still to come. */
  readonly remoteBytes: number;
  /** Fetches what is not on this machine. @throws ModelFileError where it can't be had. */
  readonly fetched: () => Promise<ModelPaths>;
}

/** The files that one text names. */
interface FoundFiles {
  /** Readable at once; those of a server by ranges, so that configs and headers come before any weights. */
  readonly files: ModelFiles;
  readonly remoteBytes: number;
  readonly fetched: () => Promise<string>;
}

async function onThisMachine(path: string, label: string): Promise<FoundFiles> {
  const files = new OpenFolder(await filesAtPath(path, label));
  return { files, remoteBytes: 0, fetched: () => Promise.resolve(path) };
}

/** Finds the files by their name. `namedBy` is the file that has the name, or null if a person has written it here. */
async function findFilesNamed(
  text: string,
  options: RemoteOptions,
  namedBy: string | null,
): Promise<FoundFiles> {
  const path = fromCaller(text);
  const bundled = BUNDLED_MODELS.includes(text);
  if (isModelPath(text) || (existsSync(path) && !bundled)) return onThisMachine(path, text);
  if (bundled) return onThisMachine(bundledFolder(text), text);
  const address = parseModelAddress(text);
  if (address === null)
    throw new ModelFileError(
      `There is no model "${text}"; pass one of ${BUNDLED_MODELS.join(', ')}, the path of a GGUF file, or of a folder or zip with config.json, weights and tokenizer, org/name of the Hugging Face Hub, or a folder's URL.`,
    );
  if (address.kind === 'url' && namedBy !== null) await mayAskNamed(address.url, namedBy, options);
  const model = await findModel(address, options);
  return {
    files: new OpenFolder(filesOf(model, options)),
    remoteBytes: model.bytes,
    fetched: () => fetchedToDisk(model, options),
  };
}

/**
 * Finds a model by its name, in this order: the path of a GGUF file, or of a folder or zip in Hugging Face layout, absolute or relative to the caller's
 * folder; a bundled model; `org/name[@revision]` of the Hub; the URL of a folder. Files go by the text that names them. If the text, or
 * `adapter`, names the files of a LoRA adapter, the model is its base: that of `text`, else the one that the adapter itself names.
 * `namedBy` is the file that has both texts, or null if a person has written them here.
 * @throws ModelFileError where there is nothing of this name, or a server that only a file names is not allowed.
 */
export async function findModelNamed(
  text: string,
  options: RemoteOptions = {},
  adapter?: string,
  namedBy: string | null = null,
): Promise<FoundModel> {
  const named = await findFilesNamed(text, options, namedBy);
  const base = await baseOfAdapter(named.files);
  if (adapter !== undefined && base !== null)
    throw new ModelFileError(
      `${text} is itself a LoRA adapter, of ${base}. Name that model beside the adapter ${adapter}.`,
    );
  if (adapter !== undefined) return beside(named, await findFilesNamed(adapter, options, namedBy));
  if (base !== null) return beside(await baseNamed(base, text, options), named);
  return {
    model: named.files,
    adapter: null,
    remoteBytes: named.remoteBytes,
    fetched: async () => ({ model: await named.fetched(), adapter: null }),
  };
}

/** The model that an adapter names. A path in it is one of the machine that it was trained on, which may be this one. */
async function baseNamed(base: string, adapter: string, options: RemoteOptions): Promise<FoundFiles> {
  try {
    return await findFilesNamed(base, options, adapter);
  } catch (error) {
    options.signal?.throwIfAborted();
    throw new ModelFileError(
      `${adapter} is a LoRA adapter of ${base}. ${messageOf(error)} If you have that model under another name, name it as the model and this as its --adapter.`,
      { cause: error },
    );
  }
}

function beside(model: FoundFiles, adapter: FoundFiles): FoundModel {
  return {
    model: model.files,
    adapter: adapter.files,
    remoteBytes: model.remoteBytes + adapter.remoteBytes,
    fetched: async () => ({ adapter: await adapter.fetched(), model: await model.fetched() }),
  };
}

/** Files of a server are read from the place that they were fetched to. */
const onDisk = async (files: ModelFiles, path: string): Promise<ModelFiles> => {
  const { label, origin } = files;
  return origin ? { ...(await filesAtPath(path, label)), origin } : files;
};

/** The files on this machine. @throws ModelFileError as `findModelNamed`, and where they can't be fetched. */
export async function modelFilesNamed(
  text: string,
  options: RemoteOptions = {},
  adapter?: string,
  namedBy: string | null = null,
): Promise<NamedFiles> {
  const found = await findModelNamed(text, options, adapter, namedBy);
  const paths = await found.fetched();
  return {
    model: await onDisk(found.model, paths.model),
    adapter: found.adapter && paths.adapter !== null ? await onDisk(found.adapter, paths.adapter) : null,
  };
}

/** The files of that name alone, whatever they are, on this machine. @throws ModelFileError likewise */
export async function filesNamed(text: string, options: RemoteOptions = {}): Promise<ModelFiles> {
  const { files, fetched } = await findFilesNamed(text, options, null);
  return onDisk(files, await fetched());
}

/** @throws ModelFileError where there is no such model, it is an adapter, or it can't be used. */
export async function loadModelNamed(
  text: string,
  options: RemoteOptions = {},
  namedBy: string | null = null,
): Promise<LoadedModel> {
  const { model, adapter } = await modelFilesNamed(text, options, undefined, namedBy);
  if (adapter !== null)
    throw new ModelFileError(
      `${text} is a LoRA adapter, and a model is needed here. Its base is ${model.label}.`,
    );
  return loadModel(model);
}
