/** Settings files of this project: settings by any of their names, any number of them. */
import { isFieldKey } from '../describe.ts';
import { keyOfName, readNames, unknownName } from '../names.ts';
import { defaultConfig, PRESETS } from '../presets.ts';
import { PRESET_NAMES, RUN_FIELDS, type PresetName } from '../runFields.ts';
import type { ParsedText } from './parse.ts';
import type { SettingsResult } from './result.ts';
import { settle } from './settle.ts';

/** Where settings start that a file leaves out. */
export interface StartFrom {
  readonly task?: string;
  readonly preset?: PresetName;
}

/** The task and preset that the values name, or else `start` does. */
export function startOf(
  values: { readonly task?: unknown; readonly preset?: unknown },
  start: StartFrom,
): { readonly task: string; readonly preset: PresetName } {
  const preset =
    PRESET_NAMES.find((name) => name === values.preset) ?? start.preset ?? RUN_FIELDS.preset.info.default;
  const named = typeof values.task === 'string' ? values.task : start.task;
  return { preset, task: named ?? PRESETS[preset].task ?? RUN_FIELDS.task.info.default };
}

export function readOwn({ tree, lineOf }: ParsedText, start: StartFrom): SettingsResult {
  const named = readNames(Object.entries(tree));
  const unknown = named.unknown.map(([name, value]) => {
    const line = lineOf(name);
    return `${line === null ? '' : `line ${line}: `}${unknownName(name, value)}`;
  });
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
    ignored: [],
    given: new Set(named.names.keys()),
  };
}

/** Whether every key names a setting. */
export function isOwn(tree: ParsedText['tree']): boolean {
  return Object.keys(tree).every((name) => isFieldKey(name) || keyOfName(name) !== null);
}
