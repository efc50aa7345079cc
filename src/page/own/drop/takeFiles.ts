/** Gives dropped and chosen files to the part of the page that reads them. */
import { findTask } from '@rl-playground/tasks/parts';
import { loadFiles } from '../../keep/kept/runFiles.ts';
import { HAND_IN_DROP_ZONE } from '../../keep/share/dropZone.ts';
import { isSettingsFile, loadSettings } from '../../keep/settingsFile/settingsFile.ts';
import { looksLikeRows } from '../sft/rowFacts.ts';
import { areModelFiles, chosenFrom, type ChosenFile } from '@rl-playground/run/session';
import { sweepFileIn } from '../../keep/sweeps/sweepFile.ts';
import { SFT_DROP_ZONE, takeSftFile } from '../sft/sftRows.ts';
import { useForm } from '../../run/form/formStore.ts';
import { dropRows, chooseSweep, setOpen, useOpen, reportError } from '../../ui/open/openStore.ts';

/** A file is recognised by this many bytes at its beginning. */
const HEAD = 4096;

/** True for a file of warm-up rows dropped over `target`. While a custom task is being made, rows belong to the task. */
async function isSftDrop(file: File, target: EventTarget | null): Promise<boolean> {
  if (target instanceof Element && target.closest(`[${SFT_DROP_ZONE}]`) !== null) return true;
  if (!/\.(jsonl|ndjson)$/i.test(file.name) || useOpen.getState().place === 'make') return false;
  return looksLikeRows(await file.slice(0, HEAD).text());
}

/** Reads warm-up rows and shows the section with the result. If the section is hidden, a notice names the problem. */
async function takeSftDrop(file: File): Promise<void> {
  await takeSftFile(file);
  const section = document.querySelector(`[${SFT_DROP_ZONE}]`);
  const { problem } = useForm.getState().sftRows;
  if (section !== null) section.scrollIntoView({ block: 'nearest' });
  else if (problem !== null) reportError(`${file.name} was not taken`, problem, 'The earlier rows are kept.');
}

const DATASET = /\.(jsonl|parquet)$/i;
const ROWS = /\.(jsonl|ndjson|json|csv|tsv|txt|parquet)$/i;

/** Gives files to the part of the page that can read them. An unknown file is read as a checkpoint. */
export async function takeFiles(chosen: readonly ChosenFile[], target: EventTarget | null): Promise<void> {
  const files = chosen.map(({ file }) => file);
  const [file] = files;
  if (file === undefined) return;
  if (target instanceof Element && target.closest(`[${HAND_IN_DROP_ZONE}]`) !== null) {
    const { addHandIns } = await import('../../keep/share/checkHandIns.ts');
    await addHandIns(files);
    return;
  }
  if (sweepFileIn(chosen) !== undefined) {
    chooseSweep(chosen);
    setOpen('sweep');
    return;
  }
  if (areModelFiles(chosen)) {
    loadFiles(chosen);
    return;
  }
  const dataset = findTask(useForm.getState().form.task)?.dataset;
  if (await isSftDrop(file, target)) await takeSftDrop(file);
  else if (dataset !== undefined && DATASET.test(file.name)) {
    const { readFiles } = await import('../../run/dataset/datasetRows.ts');
    await readFiles(dataset, files);
  } else if (await isSettingsFile(file)) await loadSettings(file);
  else if (ROWS.test(file.name)) dropRows(file);
  else loadFiles(chosen);
}

/** A browser may free an input that nothing holds, and the chosen files would be lost. */
let folderInput: HTMLInputElement | null = null;

/** Asks for a folder and takes its files. Browsers open the dialog only at a click or a key. */
export function openFolder(): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.webkitdirectory = true;
  input.addEventListener('change', () => {
    void takeFiles(chosenFrom(input.files ?? []), null);
  });
  folderInput = input;
  folderInput.click();
}
