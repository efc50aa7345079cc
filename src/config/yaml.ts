/**
 * Settings files of the page: YAML or JSON, of this project or of the systems that it follows. The `yaml` package is loaded when a
 * file is read or written, so that the page's first load does without.
 */
import { readSettingsWith, type ReadOptions } from './files/read.ts';
import type { SettingsResult } from './files/result.ts';
import { settingsAsYaml } from './files/write.ts';
import type { RunConfig } from './runFields.ts';

export { notesOf, type Ignored, type SettingsRead, type SettingsResult } from './files/result.ts';
export { settingsAsJson } from './files/write.ts';

/** Reads a settings file, or the `config.json` of a run directory or checkpoint. Never rejects for what the file holds. */
export async function readSettings(text: string, options: ReadOptions = {}): Promise<SettingsResult> {
  return readSettingsWith(await import('yaml'), text, options);
}

/** Every setting, in groups, by its snake_case name. */
export async function settingsToYaml(config: RunConfig): Promise<string> {
  return settingsAsYaml(await import('yaml'), config);
}
