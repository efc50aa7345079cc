/** The models that settings may name: those beside the page, and those made in it when a run begins. */
import type { RunConfig } from '../settings/schema/schema.ts';
import { messageOf } from '@rl-playground/base/errors';
import { type LoadedModel, loadModel, parseModelAddress, filesAtUrl } from '@rl-playground/engine/parts';
import { findTask } from '@rl-playground/tasks/parts';
import { askedTasks, type RunProblem } from '../data/taskRows.ts';
import { BUNDLED_MODELS, filesFolder } from './bundledModels.ts';
import { isScratchModel, makeScratchModel, SCRATCH_MODELS, scratchKey } from './scratchModels.ts';
import { answerAhead } from './besidePage.ts';

/** Two runs that begin from the same model have the same key. Throws if it can't be made for the run. */
export function modelKey(config: RunConfig): string {
  return isScratchModel(config.model) ? scratchKey(config) : config.model;
}

/** The problem that keeps a run from the model that its settings name, or null. */
export function modelProblem(config: RunConfig): RunProblem | null {
  const { model } = config;
  if (!BUNDLED_MODELS.includes(model) && !isScratchModel(model)) {
    const here = `The bundled models are ${[...BUNDLED_MODELS, ...SCRATCH_MODELS].join(', ')}.`;
    return parseModelAddress(model) === null
      ? {
          cause: 'unfit',
          title: `There is no model named "${model}"`,
          text: `${here} Choose one of these, or load a checkpoint of another one.`,
        }
      : {
          cause: 'model',
          title: `The model "${model}" is not loaded`,
          text: `Its name is one of the Hugging Face Hub or a server: load it under "Another model", then train. ${here}`,
        };
  }
  const [reader] = askedTasks(config).flatMap((name) => findTask(name)?.dataset ?? []);
  if (reader !== undefined)
    return {
      cause: 'small',
      title: `The model "${model}" is too small for the task`,
      text: `The rows of ${reader.id} are English text, which no bundled model can read. Load a larger one first: on the page under "Another model", on the command line with --model org/name (docs/models.md).`,
    };
  try {
    modelKey(config);
    return null;
  } catch (error) {
    return { cause: 'unfit', title: `The model "${model}" does not fit the task`, text: messageOf(error) };
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

/** Loads one of `BUNDLED_MODELS`. @throws ModelFileError where its files are missing or damaged. */
export async function loadBundledModel(
  name: string,
  addressOf: (path: string) => string,
  onProgress: (label: string, done: number, total: number) => void,
): Promise<LoadedModel> {
  const model = await loadModel(filesAtUrl(name, addressOf(filesFolder(name)), answerAhead), {
    own: true,
    onProgress: (file, done, total) => onProgress(`Loading the model ${name}: ${file}`, done, total),
  });
  return { ...model, name };
}
