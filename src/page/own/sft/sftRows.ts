/** The rows that a warm-up learns from: one file at a time, kept in this browser (IndexedDB) until another is chosen or it is removed. */
import { browserStore } from '@rl-playground/base/browserStore';
import { messageOf } from '@rl-playground/base/errors';
import { DEMONSTRATIONS } from '@rl-playground/run/settings';
import type { SftFile, SftFiles } from '@rl-playground/run/sft';
import { setValue } from '../../run/actions/actions.ts';
import { count } from '../../ui/text/format.ts';
import { lockOf } from '../../run/form/settings.ts';
import { changeSftRows, useForm } from '../../run/form/formStore.ts';
import { useRun } from '../../run/state/runStore.ts';

/** Marks the section of the warm-up: what is let go over it is a file of rows to learn from. */
export const SFT_DROP_ZONE = 'data-warmup-drop';

/** Updates of a warm-up that is switched on, where the preset has none. */
export const FIRST_UPDATES = 100;
/** What the settings name before a file is chosen. */
const NO_FILE_YET = 'rows.jsonl';

const KEY = 'file';
/** Longest name that the setting holds. */
const LONGEST_NAME = 200;
/** A text in UTF-8 has at most so many bytes for each character. */
const BYTES_PER_CHARACTER = 4;

/** What reads and writes rows is fetched with the first of them. */
const rowsText = () => import('@rl-playground/run/sft');

const kept = browserStore('rl-playground-warm-up', 'rows');

/** What is kept is text, checked as a chosen file is when it comes back. */
async function keep(file: SftFile | null): Promise<void> {
  try {
    if (file === null) await kept.remove(KEY);
    else await kept.set(KEY, { name: file.name, text: (await rowsText()).writeSftRows(file.rows) });
  } catch (error) {
    changeSftRows({
      problem: `The rows are used until this page is closed, but this browser does not keep them (${messageOf(error)}); choose the file again then.`,
    });
  }
}

/** Takes back what this browser has kept, if anything. */
export async function restoreSftRows(): Promise<void> {
  try {
    const value = await kept.get(KEY);
    if (typeof value !== 'object' || value === null || !('name' in value) || !('text' in value)) return;
    const { name, text } = value;
    if (typeof name !== 'string' || typeof text !== 'string') return;
    const { readSftRows } = await rowsText();
    changeSftRows({ file: { name, rows: readSftRows(text, name) } });
  } catch (error) {
    changeSftRows({ problem: `Rows from before can’t be used: ${messageOf(error)}` });
  }
}

/** The setting's form of a file's name: one line, its end where it is too long. */
function settingName(name: string): string {
  const line = name.replace(/\s+/g, ' ').trim().slice(-LONGEST_NAME);
  return line === '' || line === DEMONSTRATIONS ? 'rows.jsonl' : line;
}

/** Takes the rows of a text in place of those before, and has the form learn from them. @throws SftRowsError saying why not. */
export async function takeSftText(fileName: string, text: string): Promise<void> {
  const name = settingName(fileName);
  const { readSftRows } = await rowsText();
  const file = { name, rows: readSftRows(text, name) };
  changeSftRows({ file, problem: null });
  learnFromFile();
  await keep(file);
}

/** The form learns from the file, or from one that is still to be chosen. */
export function learnFromFile(): void {
  setValue('warmStartData', useForm.getState().sftRows.file?.name ?? NO_FILE_YET);
}

/** Why a file is not even read; null where it is. */
async function obstacleTo({ name, size }: File): Promise<string | null> {
  const most = (await rowsText()).SFT_LIMITS.text * BYTES_PER_CHARACTER;
  if (lockOf(useRun.getState().snapshot) !== 'none')
    return `${name} was not read: the rows belong to the current run. Press Reset, then choose the file again.`;
  if (size <= most) return null;
  return `${name} has ${count(size)} bytes; at most ${count(most)} are read. Keep a part of its lines.`;
}

/** Reads a file that was chosen or dropped, and switches the warm-up on. On any error the rows before stay. */
export async function takeSftFile(file: File): Promise<void> {
  const problem = await obstacleTo(file);
  changeSftRows({ problem });
  if (problem !== null) return;
  changeSftRows({ reading: file.name });
  try {
    await takeSftText(file.name, await file.text());
    if (useForm.getState().form.warmStartSteps === 0) setValue('warmStartSteps', FIRST_UPDATES);
  } catch (error) {
    changeSftRows({ problem: messageOf(error) });
  } finally {
    changeSftRows({ reading: null });
  }
}

/** Forgets the rows; the form learns from demonstrations again. */
export async function removeSftRows(): Promise<void> {
  const { file } = useForm.getState().sftRows;
  changeSftRows({ file: null, problem: null });
  if (useForm.getState().form.warmStartData === file?.name) setValue('warmStartData', DEMONSTRATIONS);
  await keep(null);
}

/** The rows as a run asks for them. */
export const sftFiles: SftFiles = {
  find(name) {
    const { file } = useForm.getState().sftRows;
    return file?.name === name ? file : null;
  },
  async adopt(file) {
    changeSftRows({ file, problem: null });
    await keep(file);
  },
};
