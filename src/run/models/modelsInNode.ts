/** The models that programs under Node name: bundled ones, and folders and zips of this machine. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { filesAtPath, fromCaller, isModelPath } from '../../hub/filesInNode.ts';
import { loadModel } from '../../hub/load.ts';
import { ModelFileError, type LoadedModel, type ModelFiles } from '../../hub/types.ts';
import { BUNDLED_MODELS } from './namedModels.ts';

/** The folder of one of `BUNDLED_MODELS`. */
export function bundledFolder(name: string): string {
  return fileURLToPath(new URL(`../../../public/models/${name}`, import.meta.url));
}

/**
 * The files of a bundled model, or of a folder or zip in Hugging Face layout: at an absolute path, or one relative to where the
 * caller stands. They go by the text that names them.
 * @throws ModelFileError where there is nothing of this name.
 */
export async function modelFilesNamed(text: string): Promise<ModelFiles> {
  return filesAtPath(modelPath(text), text);
}

/** The place of that folder or zip. @throws ModelFileError where there is nothing of this name. */
export function modelPath(text: string): string {
  if (BUNDLED_MODELS.includes(text)) return bundledFolder(text);
  const path = fromCaller(text);
  if (isModelPath(text) || existsSync(path)) return path;
  throw new ModelFileError(
    `There is no model "${text}"; pass one of ${BUNDLED_MODELS.join(', ')}, or the path of a folder or zip with config.json, weights and tokenizer.`,
  );
}

/** @throws ModelFileError where there is no such model, or it can't be used. */
export async function loadModelNamed(text: string): Promise<LoadedModel> {
  return loadModel(await modelFilesNamed(text));
}
