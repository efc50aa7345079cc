/** The one-click runs of real models: the model is loaded, and the form is set to the run. */
import { lookUpModel, modelOfPreset } from '@rl-playground/run/models';
import { defaultConfig, PRESETS, type PresetName } from '@rl-playground/run/settings';
import type { DownloadProgress, ModelFiles } from '@rl-playground/engine/parts';
import { takeForm, useForm } from '../form/formStore.ts';
import { changeModels, hubSettings } from './hubStore.ts';
import { asking, during, mayAsk, take } from './modelActions.ts';

/** The files of a model: those that this browser keeps, without asking anybody, else those of the Hub. */
async function filesAt(address: string): Promise<ModelFiles> {
  const { keptModels, loadRemote, openKept } = await import('@rl-playground/engine/remote');
  const kept = (await keptModels()).find(({ label, whole }) => whole && label === address);
  const files = kept === undefined ? null : await openKept(kept.key);
  if (files !== null) return files;
  if (!navigator.onLine && hubSettings().hubUrl === undefined)
    throw new Error(
      `This device is offline, and ${address} is not kept in this browser. Connect to the internet and try again, or choose the file if you have it.`,
    );
  await mayAsk(address);
  const { remote } = await lookUpModel(address, asking());
  const onProgress = (progress: DownloadProgress): void => changeModels({ progress });
  return loadRemote(remote, { ...asking(), onProgress });
}

/** Gives the form the settings of the preset and takes the model. The settings stay as they were where that fails. */
async function takeFor(preset: PresetName, files: ModelFiles): Promise<void> {
  const { form } = useForm.getState();
  // A model that finds LoRA on leaves the settings alone.
  takeForm(() => defaultConfig(PRESETS[preset].task ?? form.task, preset));
  try {
    await take(files, null);
  } catch (error) {
    takeForm(() => form);
    throw error;
  }
  changeModels({ begun: null });
}

const begin = (preset: PresetName, files: () => Promise<ModelFiles>): Promise<void> =>
  during('loading', async () => {
    changeModels({ begun: preset });
    await takeFor(preset, await files());
  });

/** Loads the model that is recommended for a preset. */
export function beginPreset(preset: PresetName): Promise<void> {
  const model = modelOfPreset(preset);
  if (model === undefined) throw new Error(`No model is recommended for the preset ${preset}.`);
  return begin(preset, () => filesAt(model.address));
}

/** Begins with a file of this machine in place of the one on the Hub. */
export const beginWithFile = (preset: PresetName, file: File): Promise<void> =>
  begin(preset, async () => {
    const { filesChosen } = await import('@rl-playground/engine/zip');
    return filesChosen(file.name, [file]);
  });
