/** The models that are served beside the page, by folder name under `models/`. */
import { ModelFileError } from '../hub/errors.ts';
import { loadModel } from '../hub/load.ts';
import { filesAtUrl } from '../hub/sources.ts';
import type { LoadedModel } from '../hub/types.ts';

export const STARTER = 'starter';
const BUNDLED: readonly string[] = [STARTER];

/** Loads a bundled model. @throws ModelFileError where there is none of that name, listing those that exist. */
export async function loadBundledModel(
  name: string,
  addressOf: (path: string) => string,
  onProgress: (label: string, done: number, total: number) => void,
): Promise<LoadedModel> {
  if (!BUNDLED.includes(name)) {
    throw new ModelFileError(
      `There is no model named ${JSON.stringify(name)} beside the page; there is ${BUNDLED.join(', ')}. Choose one of these, or load a checkpoint of yours.`,
    );
  }
  const model = await loadModel(filesAtUrl(name, addressOf(`models/${name}/`)), { onProgress });
  return { ...model, name };
}
