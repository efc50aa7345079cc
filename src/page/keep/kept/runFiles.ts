/** Downloads of a run and its model, and the loading of files. */
import { titleOf, type ChosenFile } from '@rl-playground/run/session';
import { suitLargeModel, unlessUnsaved, withController } from '../../run/actions/actions.ts';
import { canStart } from '../../run/state/phases.ts';
import { saveDownload } from '../../ui/files/saveDownload.ts';
import { takeForm } from '../../run/form/formStore.ts';
import { useRun } from '../../run/state/runStore.ts';
import { addNotice } from '../../ui/open/openStore.ts';
import { adoptWords, wordsOf } from './labels.ts';

/** A `full` checkpoint holds the weights of the base model too. */
export function downloadCheckpoint({ full }: { full: boolean }): void {
  void withController('The checkpoint could not be written', async (controller) =>
    saveDownload(await controller.save('checkpoint', { full })),
  );
}

export function downloadRunDirectory(): void {
  void withController('The run directory could not be written', async (controller) =>
    saveDownload(await controller.save('directory', { words: wordsOf(controller.snapshot().run) })),
  );
}

/** Loads a checkpoint, a model or an adapter, zipped or as files. */
export function loadFiles(chosen: readonly ChosenFile[]): void {
  if (!canStart(useRun.getState().snapshot)) {
    addNotice({
      id: 'load-busy',
      kind: 'warning',
      title: 'A checkpoint can’t be loaded right now',
      text: `${titleOf(chosen)} was not read because a run is in progress. Wait until it ends, or press Pause or Stop, then drop the file again.`,
    });
    return;
  }
  const { controller } = useRun.getState();
  if (controller === null) return;
  const question = { loses: 'Loading a file replaces it', anyway: 'Load anyway' };
  void unlessUnsaved(controller, question, () => load(chosen));
}

const load = (chosen: readonly ChosenFile[]): Promise<void> =>
  withController('The checkpoint could not be loaded', async (controller) => {
    const settings = await controller.open({ chosen });
    if (settings === null) {
      suitLargeModel(controller);
      return;
    }
    takeForm((form) => ({ ...form, ...settings }));
    await adoptWords(controller);
  });
