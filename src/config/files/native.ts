/** Settings files of this project: settings by any of their names, any number of them. */
import { isFieldKey } from '../describe.ts';
import { tinkerReason } from '../foreign/tinkerReasons.ts';
import { MIXTURE } from '../../tasks/index.ts';
import { keyOfName, readNames, unknownName } from '../names.ts';
import { defaultConfig, PRESETS } from '../presets.ts';
import { PRESET_NAMES, RUN_FIELDS, type PresetName } from '../runFields.ts';
import type { ParsedText } from './parse.ts';
import type { Ignored, SettingsResult } from './result.ts';
import { settle } from './settle.ts';

/** Where settings start that a file leaves out. */
export interface StartFrom {
  readonly task?: string;
  readonly preset?: PresetName;
}

/** The task and preset that the values name, or else `start` does. Parts of a mixture ask for one. */
export function startOf(
  values: { readonly task?: unknown; readonly preset?: unknown; readonly mixture?: unknown },
  start: StartFrom,
): { readonly task: string; readonly preset: PresetName } {
  const preset =
    PRESET_NAMES.find((name) => name === values.preset) ?? start.preset ?? RUN_FIELDS.preset.info.default;
  const mixes = Array.isArray(values.mixture) && values.mixture.length > 0;
  const named = typeof values.task === 'string' ? values.task : (start.task ?? (mixes ? MIXTURE : undefined));
  return { preset, task: named ?? PRESETS[preset].task ?? RUN_FIELDS.task.info.default };
}

/** Names without a meaning that are told one by one: a file with more of them holds something else. */
const MOST_UNKNOWN = 10;

export function readNative({ tree, lineOf }: ParsedText, start: StartFrom): SettingsResult {
  const named = readNames(Object.entries(tree));
  const ignored: Ignored[] = [];
  const strange = named.unknown.filter(([path, value]) => {
    const reason = tinkerReason(path);
    if (reason !== null) ignored.push({ path, value, reason });
    return reason === null;
  });
  const unknown = strange.slice(0, MOST_UNKNOWN).map(([name, value]) => {
    const line = lineOf(name);
    return `${line === null ? '' : `line ${line}: `}${unknownName(name, value)}`;
  });
  const more = strange.length - unknown.length;
  if (more > 0) unknown.push(`${more} more names are no settings.`);
  const { task, preset } = startOf(named.values, start);
  const settled = settle(
    defaultConfig(task, preset),
    { ...named, errors: [...named.errors, ...unknown] },
    lineOf,
  );
  if (!settled.ok) return settled;
  return {
    ok: true,
    config: settled.config,
    replaced: settled.notes,
    ignored,
    given: new Set(named.names.keys()),
  };
}

/** Whether every key names a setting. */
export function isNative(tree: ParsedText['tree']): boolean {
  return Object.keys(tree).every((name) => isFieldKey(name) || keyOfName(name) !== null);
}
