/** The models that settings may name: those beside the page, and those made in it when a run begins. */
import type { RunConfig } from '../../config/schema.ts';
import { messageOf } from '../../base/errors.ts';
import type { LoadedModel } from '../../hub/types.ts';
import { BUNDLED_MODELS, loadBundledModel } from './bundledModels.ts';
import { isScratchModel, makeScratchModel, SCRATCH_MODELS, scratchKey } from './scratchModels.ts';

/** The same for two runs that begin from the same model. Throws where it can't be made for the run. */
export function modelKey(config: RunConfig): string {
  return isScratchModel(config.model) ? scratchKey(config) : config.model;
}

/** What keeps a run from the model that its settings name; null where nothing does. */
export function modelProblem(config: RunConfig): { title: string; text: string } | null {
  const { model } = config;
  if (!BUNDLED_MODELS.includes(model) && !isScratchModel(model)) {
    return {
      title: `There is no model named "${model}"`,
      text: `Beside the page there is ${[...BUNDLED_MODELS, ...SCRATCH_MODELS].join(', ')}. Choose one of these, or load a checkpoint of another one.`,
    };
  }
  try {
    modelKey(config);
    return null;
  } catch (error) {
    return { title: `The model "${model}" does not fit the task`, text: messageOf(error) };
  }
}

/** Loads or makes it. Throws where there is a `modelProblem`, or files are missing or damaged. */
export function loadNamedModel(
  config: RunConfig,
  addressOf: (path: string) => string,
  onProgress: (label: string, done: number, total: number) => void,
): Promise<LoadedModel> {
  return isScratchModel(config.model)
    ? makeScratchModel(config)
    : loadBundledModel(config.model, addressOf, onProgress);
}
