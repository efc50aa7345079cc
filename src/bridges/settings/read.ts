/** Finds the system of a settings file, and reads it: settings of this project here, those of other systems by their importers. */
import { grouped } from '@rl-playground/base/text';
import { MIXTURE } from '@rl-playground/tasks/parts';
import { dialectOf, importForeign, type Dialect } from './import.ts';
import { tinkerReason } from './reasons.ts';
import { isTinker, readTinker, tinkerDataset } from './tinker.ts';
import { isTaskName, statedBy, withModelPath } from './trlFile.ts';
import { isWarmupShare } from './trlNumbers.ts';
import type { ImportOptions } from './rlvr.ts';
import {
  keyOfName,
  readNames,
  unknownName,
  defaultConfig,
  PRESETS,
  RUN_FIELDS,
  PRESET_NAMES,
  type PresetName,
  SETTINGS_VERSION,
  versionNote,
} from '@rl-playground/run/settings';
import {
  isTree,
  parseText,
  type ParsedText,
  settle,
  type Ignored,
  type SettingsResult,
} from '@rl-playground/run/settings/files';

/** The task and the preset from which a file starts. */
export interface StartFrom {
  readonly task?: string;
  readonly preset?: PresetName;
}

/** The task and the preset that the values name, or else those of `start`. Parts of a mixture ask for a mixture. */
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

/** The most unknown names that are told one by one: a file with more of them holds something else. */
const MOST_UNKNOWN = 10;

function readNative({ tree, lineOf }: ParsedText, start: StartFrom): SettingsResult {
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

/** Reads a run of the Tinker cookbook, whose keys are names of settings here once they are converted. */
function readCookbook(parsed: ParsedText, { start = {}, model }: ReadOptions): SettingsResult {
  const chosen = { ...start, ...(model !== undefined && { model }) };
  const { tree, replaced, ignored, tracking } = readTinker(parsed.tree, chosen);
  const read = readNative({ ...parsed, tree }, start);
  if (!read.ok) return read;
  return {
    ...read,
    replaced: [...replaced, ...read.replaced],
    ignored: [...ignored, ...read.ignored],
    tracking,
  };
}

const MOST_ERRORS = 50;

function refusedBy(errors: readonly string[]): SettingsResult {
  if (errors.length <= MOST_ERRORS) return { ok: false, errors };
  const more = `${grouped(errors.length - MOST_ERRORS)} more are wrong.`;
  return { ok: false, errors: [...errors.slice(0, MOST_ERRORS), more] };
}

/** True if every key names a setting. */
function isNative(tree: ParsedText['tree']): boolean {
  return Object.entries(tree).every(
    ([name, value]) => keyOfName(name) !== null && !isWarmupShare(name, value),
  );
}

export interface ReadOptions extends ImportOptions {
  /** The start of a file of this project that names no task or preset itself. */
  readonly start?: StartFrom;
}

/** The system of a settings file; null for one of this project, and for a text that can't be read. */
export function dialectOfText(text: string): Dialect | null {
  const file = parseText(text);
  return file.ok ? dialectIn(withinCheckpoint(file)) : null;
}

function dialectIn({ tree }: ParsedText): Dialect | null {
  return isNative(tree) || isTinker(tree) ? null : dialectOf(tree);
}

/** The settings in the `config.json` of a checkpoint, which is otherwise the model's, with their version. Any other file has the newest version. */
function withinCheckpoint(file: ParsedText): ParsedText & { readonly version: number } {
  const own = file.tree.rl_playground;
  if (!isTree(own) || !isTree(own.run)) return { ...file, version: SETTINGS_VERSION };
  const version = typeof own.version === 'number' ? own.version : 0;
  const lineOf = (path: string): number | null => file.lineOf(`rl_playground.run.${path}`);
  return { ...file, version, tree: own.run, lineOf };
}

/**
 * The task that asks rows which are given beside a file: that of the file's recipe, or null for one of the user's own. The whole is null for a
 * file that names its task itself.
 */
export function rowsBeside(text: string): { readonly task: string | null } | null {
  const file = parseText(text);
  if (!file.ok) return null;
  const parsed = withinCheckpoint(file);
  const { tree } = parsed;
  const says = Object.entries(tree).some(([name, value]) => {
    const key = keyOfName(name);
    return key === 'mixture' || (key === 'task' && (value === MIXTURE || isTaskName(value)));
  });
  if (says || isNative(tree)) return null;
  if (isTinker(tree)) return { task: tinkerDataset(tree) };
  return dialectIn(parsed) === 'trl' && statedBy(withModelPath(tree)) === 'trainer' ? { task: null } : null;
}

/**
 * Reads a settings file, or the `config.json` of a run directory or checkpoint. It never throws. Files of RL for Real (TRL's GRPO
 * trainer), of simplexity's RLVR (Hydra) and of the Tinker cookbook are recognized by their keys. Overrides count only for files of those
 * systems.
 */
export function readSettings(text: string, options: ReadOptions = {}): SettingsResult {
  const file = parseText(text);
  if (!file.ok) return refusedBy(file.errors);
  const parsed = withinCheckpoint(file);
  const dialect = dialectIn(parsed);
  const result =
    dialect === null
      ? isTinker(parsed.tree)
        ? readCookbook(parsed, options)
        : readNative(parsed, options.start ?? {})
      : importForeign(dialect, parsed, options);
  if (!result.ok) return refusedBy(result.errors);
  const note = versionNote('The file', parsed.version);
  return note === null ? result : { ...result, replaced: [note, ...result.replaced] };
}
