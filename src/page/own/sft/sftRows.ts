/** The file of rows that a warm-up learns from, kept in this browser (IndexedDB) until it is replaced or removed. */
import { browserStore } from '@rl-playground/base/browserStore';
import { messageOf } from '@rl-playground/base/errors';
import { DEMONSTRATIONS } from '@rl-playground/run/settings';
import type { SftFile, SftFiles } from '@rl-playground/run/sft';
import { setValue } from '../../run/actions/actions.ts';
import { count } from '../../ui/text/format.ts';
import { lockOf } from '../../run/form/settings.ts';
import { changeSftRows, useForm } from '../../run/form/formStore.ts';
import { useRun } from '../../run/state/runStore.ts';

/** Marks the section of the warm-up. A file that is dropped there holds rows to learn from. */
export const SFT_DROP_ZONE = 'data-warmup-drop';

/** The number of updates of a warm-up, if the preset has none. */
export const FIRST_UPDATES = 100;
/** The name in the settings before a file is chosen. */
const NO_FILE_YET = 'rows.jsonl';

const KEY = 'file';
const LONGEST_NAME = 200;
/** A text in UTF-8 has at most so many bytes for each character. */
const BYTES_PER_CHARACTER = 4;

/** The code that reads and writes rows is fetched with the first rows. */
const rowsText = () => import('@rl-playground/run/sft');

const kept = browserStore('rl-playground-warm-up', 'rows');

/** The browser keeps the rows as text, which is checked when it is read again. */
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

/** Reads the rows that this browser has kept. */
export async function restoreSftRows(): Promise<void> {
  try {
    const value = await kept.get(KEY);
    if (typeof value !== 'object' || value === null || !('name' in value) || !('text' in value)) return;
    const { name, text } = value;
    if (typeof name !== 'string' || typeof text !== 'string') return;
    const { readSftRows } = await rowsText();
    changeSftRows({ file: { name, rows: readSftRows(text, name) } });
  } catch (error) {
    changeSftRows({ problem: `The earlier rows can’t be used: ${messageOf(error)}` });
  }
}

/** A file's name as the setting holds it: one line, shortened at its beginning. */
function settingName(name: string): string {
  const line = name.replace(/\s+/g, ' ').trim().slice(-LONGEST_NAME);
  return line === '' || line === DEMONSTRATIONS ? 'rows.jsonl' : line;
}

/** Replaces the rows with those of a text. @throws SftRowsError with the reason if the text has none. */
export async function takeSftText(fileName: string, text: string): Promise<void> {
  const name = settingName(fileName);
  const { readSftRows } = await rowsText();
  const file = { name, rows: readSftRows(text, name) };
  changeSftRows({ file, problem: null });
  learnFromFile();
  await keep(file);
}

/** Sets the warm-up's source to the file, or to a file that is still to be chosen. */
export function learnFromFile(): void {
  setValue('warmStartData', useForm.getState().sftRows.file?.name ?? NO_FILE_YET);
}

/** The reason why a file can't be read. */
async function obstacleTo({ name, size }: File): Promise<string | null> {
  const most = (await rowsText()).SFT_LIMITS.text * BYTES_PER_CHARACTER;
  if (lockOf(useRun.getState().snapshot) !== 'none')
    return `${name} was not read: the current run uses its rows. Press Reset, then choose the file again.`;
  if (size <= most) return null;
  return `${name} has ${count(size)} bytes; at most ${count(most)} are read. Remove some of its lines.`;
}

/** Reads a chosen or dropped file, and switches the warm-up on. After an error the earlier rows stay. */
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

/** Forgets the rows, and learns from demonstrations again. */
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
