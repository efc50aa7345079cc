/** Files that were dropped or chosen: which part of the page reads them. */
import { findTask } from '@rl-playground/tasks/parts';
import { loadFiles } from '../../keep/kept/runFiles.ts';
import { isSettingsFile, loadSettings } from '../../keep/settingsFile/settingsFile.ts';
import { looksLikeRows } from '../sft/rowFacts.ts';
import { areModelFiles, chosenFrom, type ChosenFile } from '@rl-playground/run/session';
import { sweepFileIn } from '../../keep/sweeps/sweepFile.ts';
import { SFT_DROP_ZONE, takeSftFile } from '../sft/sftRows.ts';
import { useForm } from '../../run/form/formStore.ts';
import { dropRows, chooseSweep, setOpen, useOpen, reportError } from '../../ui/open/openStore.ts';

/** Bytes at the beginning of a file that are looked at. */
const HEAD = 4096;

/** Whether a file let go over `target` is one of rows for the warm-up. Rows dropped while a custom task is being made belong to that. */
async function isSftDrop(file: File, target: EventTarget | null): Promise<boolean> {
  if (target instanceof Element && target.closest(`[${SFT_DROP_ZONE}]`) !== null) return true;
  if (!/\.(jsonl|ndjson)$/i.test(file.name) || useOpen.getState().parts.has('ownTasks')) return false;
  return looksLikeRows(await file.slice(0, HEAD).text());
}

/** Brings the section with the outcome into view; a notice says what went wrong where the section is folded away. */
async function takeSftDrop(file: File): Promise<void> {
  await takeSftFile(file);
  const section = document.querySelector(`[${SFT_DROP_ZONE}]`);
  const { problem } = useForm.getState().sftRows;
  if (section !== null) section.scrollIntoView({ block: 'nearest' });
  else if (problem !== null) reportError(`${file.name} was not taken`, problem, 'Rows from before are kept.');
}

/** Whether a file is one for the dataset, going by its name. */
function isDatasetFile({ name }: File): boolean {
  return /\.(jsonl|parquet)$/i.test(name);
}

/** Whether a file is one of rows for a custom task, going by its name. */
function isRowsFile({ name }: File): boolean {
  return /\.(jsonl|ndjson|json|csv|tsv|txt|parquet)$/i.test(name);
}

/** Gives files, dropped over `target` or chosen, to the part of the page that can read them; anything unknown is taken for a checkpoint. */
export async function takeFiles(chosen: readonly ChosenFile[], target: EventTarget | null): Promise<void> {
  const files = chosen.map(({ file }) => file);
  const [file] = files;
  if (file === undefined) return;
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
  else if (dataset !== undefined && isDatasetFile(file)) {
    const { readFiles } = await import('../../run/dataset/datasetRows.ts');
    await readFiles(dataset, files);
  } else if (await isSettingsFile(file)) await loadSettings(file);
  else if (isRowsFile(file)) dropRows(file);
  else loadFiles(chosen);
}

/** Kept while its dialog is open: a browser may free an input that nothing else holds, and what is chosen then reaches nobody. */
let folderInput: HTMLInputElement | null = null;

/** Asks for a folder and takes what lies in it. Call at a click or a key: browsers open no dialog by themselves. */
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
