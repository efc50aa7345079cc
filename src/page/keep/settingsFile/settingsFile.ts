/** The form's settings out of the page as a file, and in again from one of this project or of the systems that it follows. */
import type { SettingsRead } from '@rl-playground/run/settings/files';
import { parsedJson } from '@rl-playground/base/json';
import { rowsLoaded } from '@rl-playground/run/settings';
import { saveFile } from '../../ui/files/saveDownload.ts';
import { LINK_KEEPS } from '../../run/form/locks.ts';
import { formErrors, isLocked, lockOf } from '../../run/form/settings.ts';
import { useForm, changeForm } from '../../run/form/formStore.ts';
import { useRun } from '../../run/state/runStore.ts';
import { addNotice, removeNotice, reportError } from '../../ui/open/openStore.ts';
import { showReport } from '../kept/keptStore.ts';

/** Far more than settings need; a larger file is no settings file and is not read. */
const LARGEST_BYTES = 1_000_000;
const NOTICE = 'settings-file';

/** Whether a dropped file is one of settings: YAML by its name, JSON if an object is what it holds. */
export async function isSettingsFile(file: File): Promise<boolean> {
  if (/\.ya?ml$/i.test(file.name)) return true;
  if (!/\.json$/i.test(file.name) || file.size > LARGEST_BYTES) return false;
  const text = (await file.text()).trim();
  // Objects line by line are rows.
  return text.startsWith('{') && 'value' in parsedJson(text);
}

function refuse(title: string, text: string, kind: 'error' | 'warning' = 'error'): void {
  addNotice({ id: NOTICE, kind, title, text });
}

/** Hands the form's settings to the browser's downloads, as YAML. */
export async function saveSettings(): Promise<void> {
  const { form } = useForm.getState();
  const errors = formErrors(form);
  if (errors.size > 0) {
    refuse(
      'The settings were not saved',
      `The file could not be loaded again. First put right: ${[...errors.keys()].join(', ')}.`,
    );
    return;
  }
  try {
    const { settingsAsYaml } = await import('@rl-playground/run/settings/files');
    const blob = new Blob([settingsAsYaml(form)], { type: 'application/yaml' });
    saveFile({ filename: `rl-playground-${form.task.replace(/[^\w-]+/g, '-')}.yaml`, blob });
  } catch (error) {
    reportError('The settings could not be saved', error, 'The form is as it was. Try again.');
  }
}

function adopt(file: string, { config, replaced, ignored }: SettingsRead): void {
  removeNotice(NOTICE);
  changeForm(() => config);
  showReport({ file, replaced, ignored });
}

function refuseFile(file: string, errors: readonly string[]): void {
  refuse(`${file} was not loaded`, [...errors, 'The settings are as they were.'].join('\n'));
}

/** Puts the settings of a file into the form. On any error the form stays as it was, and a notice names every one. */
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
      `${file.name} was not read: a file sets every setting. ${LINK_KEEPS}`,
      'warning',
    );
    return;
  }
  showReport(null);
  if (file.size > LARGEST_BYTES) {
    refuseFile(file.name, [`It has ${file.size} bytes; a settings file has at most ${LARGEST_BYTES}.`]);
    return;
  }
  try {
    const { readSettings, rowsBeside } = await import('@rl-playground/bridges/settings');
    const { modelIsOurs, modelName } = useRun.getState().snapshot;
    const text = await file.text();
    // A model of the user's own stays, whatever the file names, and is asked the rows of its recipe where they are loaded.
    const own = modelIsOurs || modelName === null ? {} : { model: modelName };
    const task = modelIsOurs ? null : (rowsBeside(text)?.task ?? null);
    const start = task === null || !rowsLoaded(task) ? {} : { start: { task } };
    const result = readSettings(text, { ...own, ...start });
    if (result.ok) adopt(file.name, result);
    else refuseFile(file.name, result.errors);
  } catch (error) {
    reportError(`${file.name} could not be read`, error, 'The settings are as they were.');
  }
}
