/** Files of a run and of its model: what is downloaded, and what is loaded in place of what is there. */
import { titleOf, type ChosenFile } from '@rl-playground/run/session';
import { suitLargeModel, unlessUnsaved, withController } from '../../run/actions/actions.ts';
import { canStart } from '../../run/state/phases.ts';
import { saveDownload } from '../../ui/files/saveDownload.ts';
import { takeForm } from '../../run/form/formStore.ts';
import { showOnnxProgress, useRun } from '../../run/state/runStore.ts';
import { addNotice } from '../../ui/open/openStore.ts';
import { exportZip } from './writtenRun.ts';
import { adoptWords, wordsOf } from './labels.ts';

/** `full`: with the base's weights. */
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

export function downloadOnnx(): void {
  void withController('The ONNX file could not be written', async (controller) => {
    showOnnxProgress(0);
    try {
      const watch = { onProgress: showOnnxProgress, signal: new AbortController().signal };
      await saveDownload(await exportZip(controller, { format: 'onnx', type: 'F32' }, watch));
    } finally {
      showOnnxProgress(null);
    }
  });
}

/** Takes a checkpoint, a model or an adapter, zipped or as files. */
export function loadFiles(chosen: readonly ChosenFile[]): void {
  if (!canStart(useRun.getState().snapshot)) {
    addNotice({
      id: 'load-busy',
      kind: 'warning',
      title: 'A checkpoint can’t be loaded right now',
      text: `${titleOf(chosen)} was not read because work is under way. Wait for it to end, or press Pause or Stop, then drop it again.`,
    });
    return;
  }
  const { controller } = useRun.getState();
  if (controller === null) return;
  const question = { loses: 'What is loaded takes its place', anyway: 'Load anyway' };
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
