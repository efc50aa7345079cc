/** The models that are served beside the page, by folder name under `models/`. */
import { loadModel } from '../../hub/load.ts';
import { filesAtUrl } from '../../hub/sources.ts';
import type { LoadedModel } from '../../hub/types.ts';

export const STARTER = 'starter';
export const BUNDLED_MODELS: readonly string[] = [
  STARTER,
  'starter-arithmetic',
  'starter-words',
  'starter-logic',
];

/** Loads one of `BUNDLED_MODELS`. @throws ModelFileError where its files are missing or damaged. */
export async function loadBundledModel(
  name: string,
  addressOf: (path: string) => string,
  onProgress: (label: string, done: number, total: number) => void,
): Promise<LoadedModel> {
  const model = await loadModel(filesAtUrl(name, addressOf(`models/${name}/`)), {
    onProgress: (file, done, total) => onProgress(`Loading the model ${name}: ${file}`, done, total),
  });
  return { ...model, name };
}
