/** Saves the form's settings as a file, and loads files of this project and of other systems. */
import type { SettingsRead } from '@rl-playground/run/settings/files';
import { parsedJson } from '@rl-playground/base/json';
import { plural } from '@rl-playground/base/text';
import { rowsLoaded } from '@rl-playground/run/settings';
import { saveFile } from '../../ui/files/saveDownload.ts';
import { LINK_KEEPS } from '../../run/form/locks.ts';
import { formErrors, isLocked, lockOf } from '../../run/form/settings.ts';
import { useForm, changeForm } from '../../run/form/formStore.ts';
import { useRun } from '../../run/state/runStore.ts';
import { addNotice, removeNotice, reportError } from '../../ui/open/openStore.ts';

/** Settings need far less. A larger file is not read. */
const LARGEST_BYTES = 1_000_000;
const NOTICE = 'settings-file';

/** A dropped file holds settings if its name ends in YAML's endings, or if it is JSON and one object. */
export async function isSettingsFile(file: File): Promise<boolean> {
  if (/\.ya?ml$/i.test(file.name)) return true;
  if (!/\.json$/i.test(file.name) || file.size > LARGEST_BYTES) return false;
  const text = (await file.text()).trim();
  // A file with one object per line holds rows.
  return text.startsWith('{') && 'value' in parsedJson(text);
}

function refuse(title: string, text: string, kind: 'error' | 'warning' = 'error'): void {
  addNotice({ id: NOTICE, kind, title, text });
}

export async function saveSettings(): Promise<void> {
  const { form } = useForm.getState();
  const errors = formErrors(form);
  if (errors.size > 0) {
    refuse(
      'The settings were not saved',
      `A file with wrong settings could not be loaded again. Fix these first: ${[...errors.keys()].join(', ')}.`,
    );
    return;
  }
  try {
    const { settingsAsYaml } = await import('@rl-playground/run/settings/files');
    const blob = new Blob([settingsAsYaml(form)], { type: 'application/yaml' });
    saveFile({ filename: `rl-playground-${form.task.replace(/[^\w-]+/g, '-')}.yaml`, blob });
  } catch (error) {
    reportError('The settings could not be saved', error, 'The settings are unchanged. Try again.');
  }
}

const LONGEST_VALUE = 60;

/** A line for each replacement, and for each key that has no meaning here. */
function reportText({ replaced, ignored }: SettingsRead): string {
  if (replaced.length === 0 && ignored.length === 0) return 'All settings of the file were used unchanged.';
  const keys = ignored.map(({ path, value, reason }) => {
    const text = JSON.stringify(value) ?? String(value);
    const shown = text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
    return `${path}: ${shown} – ${reason}.`;
  });
  const listed = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : [title, ...lines.map((line) => `• ${line}`)];
  return [
    ...listed(`${plural(replaced.length, 'replacement')}:`, replaced),
    ...listed(`${plural(ignored.length, 'key')} not used here:`, keys),
  ].join('\n');
}

function adopt(file: string, read: SettingsRead): void {
  changeForm(() => read.config);
  const title = `Settings loaded from ${file}`;
  addNotice({ id: NOTICE, kind: 'info', title, text: reportText(read), inView: true });
}

function refuseFile(file: string, errors: readonly string[]): void {
  refuse(`${file} was not loaded`, [...errors, 'The settings are unchanged.'].join('\n'));
}

/** Puts the settings of a file into the form. After an error the form is unchanged, and a notice names every mistake. */
export async function loadSettings(file: File): Promise<void> {
  if (isLocked(lockOf(useRun.getState().snapshot), 'preset')) {
    refuse(
      'Settings can’t be loaded right now',
      `${file.name} was not read because the settings belong to the current run. Press Reset, then load it again.`,
      'warning',
    );
    return;
  }
  if (useForm.getState().classroom.locked.size > 0) {
    refuse(
      'Settings can’t be loaded here',
      `${file.name} was not read, because a file would change every setting. ${LINK_KEEPS}`,
      'warning',
    );
    return;
  }
  removeNotice(NOTICE);
  if (file.size > LARGEST_BYTES) {
    refuseFile(file.name, [`It has ${file.size} bytes; a settings file has at most ${LARGEST_BYTES}.`]);
    return;
  }
  try {
    const { readSettings, rowsBeside } = await import('@rl-playground/bridges/settings');
    const { modelIsOurs, modelName } = useRun.getState().snapshot;
    const text = await file.text();
    // The user's own model stays, whatever the file names. It gets the rows of the file's recipe if they are loaded.
    const own = modelIsOurs || modelName === null ? {} : { model: modelName };
    const task = modelIsOurs ? null : (rowsBeside(text)?.task ?? null);
    const start = task === null || !rowsLoaded(task) ? {} : { start: { task } };
    const result = readSettings(text, { ...own, ...start });
    if (result.ok) adopt(file.name, result);
    else refuseFile(file.name, result.errors);
  } catch (error) {
    reportError(`${file.name} could not be read`, error, 'The settings are unchanged.');
  }
}
