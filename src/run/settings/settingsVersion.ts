/**
 * The version of the defaults that links and records were made under. A link leaves out what has its default, and a record of a run lacks
 * settings that came after it. Links say the version as `v`, checkpoints under `rl_playground.version`. One of another version is read with
 * the defaults of today, and whoever reads it is told so.
 *
 * Who changes a default, or what a bundled model is, raises the number.
 */
import { isJsonObject } from '@rl-playground/base/json';
import { parseConfig, type ParsedConfig } from './check.ts';
import { defaultConfig } from './presets/presets.ts';
import { PRESET_NAMES } from './schema/model.ts';

export const SETTINGS_VERSION = 6;

/** The note on settings of another version; null for those of today. `what` is "The link", say. */
export function versionNote(what: string, version: number): string | null {
  if (version === SETTINGS_VERSION) return null;
  return `${what} is of version ${version} of the settings, and this program knows version ${SETTINGS_VERSION}: what it leaves out has the default of today, which may not be that of its time.`;
}

/** The whole config of a run that was recorded; settings that came later have their default. Never throws. */
export function parseRecord(record: unknown): ParsedConfig {
  if (!isJsonObject(record)) return parseConfig(record);
  const { task } = record;
  const preset = PRESET_NAMES.find((name) => name === record['preset']);
  if (typeof task !== 'string' || preset === undefined) return parseConfig(record);
  return parseConfig({ ...defaultConfig(task, preset), ...record });
}
