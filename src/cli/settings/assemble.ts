/** Puts the settings of a run together from a command line: preset, settings file, options, `setting=value`. */
import { sortWords, splitWords, type SortedWords } from './commandWords.ts';
import { MIXTURE } from '@rl-playground/tasks/parts';
import {
  valueFromText,
  idleSettings,
  defaultConfig,
  replacements,
  type FieldKey,
  type RunConfig,
  type PresetName,
  type AskedTracker,
} from '@rl-playground/run/settings';
import { namedFile, readNamed, type FileReader, type FileWords, type NamedFile } from './named.ts';
import { notesOf, settle, type SettingsRead, type SettingsResult } from '@rl-playground/run/settings/files';
import { applyOverrides, startOf } from '@rl-playground/bridges/settings';

/** An option that sets a setting. */
export interface SettingOption {
  readonly flag: string;
  readonly key: FieldKey;
  readonly text: string;
}

export interface CommandLine {
  readonly file: FileWords;
  readonly preset: PresetName | null;
  readonly options: readonly SettingOption[];
  /** The values of options that nobody gave; a preset or a file goes before them. */
  readonly usual: readonly SettingOption[];
  /** The words `setting=value` behind `--set`, and those that come alone. */
  readonly set: readonly string[];
  readonly bare: readonly string[];
}

export type Assembled =
  | {
      readonly ok: true;
      readonly config: RunConfig;
      /** Sentences on all that was replaced, ignored, or brought along by a change. */
      readonly notes: readonly string[];
      /** The trackers for which a file of another system, or keys of RLVR, ask. */
      readonly tracking: readonly AskedTracker[];
    }
  | { readonly ok: false; readonly errors: readonly string[] };

type Values = Partial<Record<FieldKey, unknown>>;

const asValues = (options: readonly SettingOption[]): Values =>
  Object.fromEntries(options.map(({ key, text }) => [key, valueFromText(key, text)]));

/** The settings for another task, with all that belongs to the task alone from the new one. */
function forTask(config: RunConfig, task: unknown): RunConfig {
  if (typeof task !== 'string' || task === config.task) return config;
  const { taskConfig, model, mixture } = defaultConfig(task, config.preset);
  return { ...config, task, taskConfig, model, mixture: task === MIXTURE ? config.mixture : mixture };
}

const unchanged = (config: RunConfig): SettingsRead => ({
  ok: true,
  config,
  replaced: [],
  ignored: [],
  given: new Set(),
});

type Start = SettingsResult & {
  readonly notes?: readonly string[];
  /** The values of options that nobody gave and that count. */
  readonly usual?: readonly SettingOption[];
};

/** Reads the file from which the settings start, or takes a preset. */
function startFrom(
  files: FileReader,
  named: NamedFile,
  { preset: asked, options, usual }: CommandLine,
  sorted: SortedWords,
): Start {
  if (named.kind === 'error') return { ok: false, errors: [named.text] };
  const given = { ...asValues(options), ...sorted.own.values };
  const model = typeof given.model === 'string' ? { model: given.model } : {};
  if (named.kind === 'file') {
    const task = typeof given.task === 'string' ? { task: given.task } : {};
    const start = { ...task, ...(asked === null ? {} : { preset: asked }) };
    const read = readNamed(files, named, { start, overrides: sorted.overrides, ...model });
    if (!read.ok) return read;
    const idle = `--preset ${asked} has no effect: the file is of another system and states a run of its own.`;
    if (named.dialect !== null)
      return { ...read, notes: [...(asked === null ? [] : [idle]), ...notesOf(read)] };
    const missing = asked === null && !read.given.has('preset');
    return { ...read, notes: notesOf(read), usual: missing ? usual : [] };
  }
  const chosen = named.kind === 'known' ? named.preset : asked;
  const start = startOf(given, chosen === null ? {} : { preset: chosen });
  const plain = chosen === null && !sorted.own.names.has('preset');
  return {
    ...unchanged(defaultConfig(start.task, start.preset)),
    notes: named.kind === 'known' ? [named.note] : [],
    usual: plain ? usual : [],
  };
}

/** The settings of a command line, checked. Never throws. */
export function assemble(line: CommandLine, files: FileReader): Assembled {
  const { words, errors: unsplit } = splitWords(line.set, line.bare);
  const named = namedFile(files, line.file);
  const dialect = named.kind === 'file' ? named.dialect : null;
  const known = named.kind === 'known' ? named : null;
  const sorted = sortWords(words, known ? 'rlvr' : dialect);
  const wordErrors = [...unsplit, ...sorted.errors, ...sorted.own.errors];

  const start = startFrom(files, named, line, sorted);
  if (!start.ok) return { ok: false, errors: [...wordErrors, ...start.errors] };
  const overrides = [...(known?.additions ?? []), ...sorted.overrides];
  const names = new Map<FieldKey, string>([
    ...line.options.map(({ key, flag }) => [key, flag] as const),
    ...sorted.own.names,
  ]);
  const changed =
    dialect === null && overrides.length > 0
      ? applyOverrides(overrides, start.config)
      : dialect === null
        ? unchanged(start.config)
        : start;
  if (!changed.ok) return { ok: false, errors: [...wordErrors, ...changed.errors] };

  const usual = (start.usual ?? []).filter(({ key }) => !start.given.has(key) && !changed.given.has(key));
  const values: Values = { ...asValues([...usual, ...line.options]), ...sorted.own.values };
  const base = forTask(changed.config, values.task);
  const taskSettings = Object.keys(sorted.ofTask);
  if (taskSettings.length > 0) {
    if ((values.task ?? base.task) === MIXTURE)
      wordErrors.push(
        `task_config.${taskSettings[0] ?? ''}: the task is a mixture, whose parts have settings of their own; give them in mixture.`,
      );
    const before = typeof values.taskConfig === 'object' ? values.taskConfig : base.taskConfig;
    values.taskConfig = { ...before, ...sorted.ofTask };
    if (!names.has('taskConfig')) names.set('taskConfig', `task_config.${taskSettings.join(', ')}`);
  }
  const settled = settle(base, { values, names, errors: wordErrors });
  if (!settled.ok) return settled;
  const notes = [
    ...(start.notes ?? []),
    ...(dialect === null ? notesOf(changed) : []),
    ...notesOf({ replaced: [], ignored: sorted.ignored }),
    ...settled.notes,
    ...idleSettings(settled.config, names),
  ];
  const kindOf = (sentence: string): string => `Replaced. ${sentence.slice(0, sentence.indexOf(':'))}:`;
  const unsaid = replacements(settled.config).filter(
    (each) => !notes.some((note) => note.startsWith(kindOf(each))),
  );
  return {
    ok: true,
    config: settled.config,
    notes: [...notes, ...(dialect === null ? unsaid : [])],
    tracking: [...(dialect === null ? (start.tracking ?? []) : []), ...(changed.tracking ?? [])],
  };
}
