/** What a person or the command line opens in place of the model that is loaded. */
import { loadModel } from '../hub/load.ts';
import type { LoadOptions } from '../hub/readFile.ts';
import type { LoadedModel, ModelFiles } from '../hub/types.ts';
import type { CustomTask } from '../tasks/custom/definition.ts';
import { readCheckpoint } from './checkpoint/checkpoint.ts';
import type { CheckpointParts } from './checkpoint/checkpointParts.ts';
import { freshStart } from './session.ts';
import type { SftFiles } from './sftData.ts';

/** Who takes what else lies in a checkpoint. */
export interface OpenedParts {
  /** Takes in the own tasks that a loaded checkpoint asks, before anything looks for them. */
  readonly adoptCustomTasks: (definitions: readonly CustomTask[]) => Promise<void>;
  readonly sftFiles: SftFiles;
}

/**
 * A checkpoint, or a zipped model folder. `loaded`: the model of the page, which the adapter of a checkpoint may belong to.
 * @throws CheckpointError or ModelFileError
 */
export async function openedFile(
  file: File,
  { adoptCustomTasks, sftFiles }: OpenedParts,
  loaded?: LoadedModel,
): Promise<CheckpointParts> {
  const parts = await readCheckpoint(new Uint8Array(await file.arrayBuffer()), file.name, loaded);
  await adoptCustomTasks(parts.customTasks);
  if (parts.sftFile) await sftFiles.adopt(parts.sftFile);
  return parts;
}

/** A model that no run has begun from. @throws ModelFileError */
export async function openedModel(files: ModelFiles, options: LoadOptions): Promise<CheckpointParts> {
  return { ...freshStart(await loadModel(files, options)), runConfig: null };
}

/** What is loaded now. */
export function openedText({ model, trainerState }: CheckpointParts): string {
  return trainerState ? `${model.name} after ${trainerState.step} steps.` : `${model.name}.`;
}
