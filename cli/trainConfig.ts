/** The settings of a run from all that a command line says: preset, settings file, options, `setting=value`. */
import { applyForeign, type Dialect } from '../src/config/foreign/import.ts';
import type { Override } from '../src/config/foreign/hydra.ts';
import { startOf } from '../src/config/files/read.ts';
import { notesOf, settle, type SettingsResult } from '../src/config/files/settle.ts';
import { idleSettings } from '../src/config/meaning.ts';
import { defaultConfig, replacements } from '../src/config/presets.ts';
import { PRESET_NAMES, type PresetName } from '../src/config/settings/model.ts';
import type { RunConfig, FieldKey } from '../src/config/schema.ts';

import { MIXTURE } from '../src/tasks/index.ts';
import { dialectOfFile, namedFile, readConfigFile, type ConfigWords } from './configFile.ts';
import { sortWords, type SortedWords, type Word } from './overrides.ts';

/** An option that stands for a setting. */
export interface SettingOption {
  readonly flag: string;
  readonly key: FieldKey;
  readonly value: unknown;
}

export interface TrainWords {
  readonly file: ConfigWords;
  /** Null where none was named. */
  readonly preset: PresetName | null;
  readonly options: readonly SettingOption[];
  /** Values of options that nobody gave: they count where neither a preset nor a file says otherwise. */
  readonly usual: readonly SettingOption[];
  readonly words: readonly Word[];
}

export type TrainConfig =
  | { readonly ok: true; readonly config: RunConfig; readonly notes: readonly string[] }
  | { readonly ok: false; readonly errors: readonly string[] };

const asValues = (options: readonly SettingOption[]): Partial<Record<FieldKey, unknown>> =>
  Object.fromEntries(options.map(({ key, value }) => [key, value]));

/** `config` for another task: what belongs to the task alone is that of the new one. */
function forTask(config: RunConfig, task: unknown): RunConfig {
  if (typeof task !== 'string' || task === config.task) return config;
  const { taskConfig, model, mixture } = defaultConfig(task, config.preset);
  return { ...config, task, taskConfig, model, mixture: task === MIXTURE ? config.mixture : mixture };
}

type Start = SettingsResult & {
  readonly notes?: readonly string[];
  /** Values of options that nobody gave, where they count. */
  readonly usual?: readonly SettingOption[];
};

/** What the settings start from: a file, or a preset. */
function startFrom({ file, preset: asked, options, usual, words }: TrainWords, sorted: SortedWords): Start {
  const named = namedFile(file);
  if (named.kind === 'error') return { ok: false, errors: [named.text] };
  const given = { ...asValues(options), ...sorted.own.values };
  if (named.kind === 'file') {
    const dialect = dialectOfFile(named.path);
    const task = typeof given.task === 'string' ? { task: given.task } : {};
    const start = { ...task, ...(asked === null ? {} : { preset: asked }) };
    const read = readConfigFile(named.path, { start, overrides: sorted.foreign });
    if (!read.ok) return read;
    if (dialect !== null)
      return {
        ...read,
        notes: [
          ...(asked === null
            ? []
            : [
                `--preset ${asked} has no effect: the file is of another system and states a run of its own.`,
              ]),
          ...notesOf(read),
        ],
      };
    const missing = asked === null && !read.given.has('preset');
    return { ...read, notes: notesOf(read), usual: missing ? usual : [] };
  }
  const chosen = named.kind === 'known' ? named.preset : asked;
  const start = startOf(given, chosen === null ? {} : { preset: chosen });
  const plain = chosen === null && words.every(({ name }) => name !== 'preset');
  return {
    ok: true,
    config: defaultConfig(start.task, start.preset),
    replaced: [],
    ignored: [],
    given: new Set(),
    notes: named.kind === 'known' ? [named.note] : [],
    usual: plain ? usual : [],
  };
}

/** Settings of other systems on the command line, without a file of theirs. */
function withForeign(config: RunConfig, foreign: SortedWords['foreign']): SettingsResult {
  let result: SettingsResult = { ok: true, config, replaced: [], ignored: [], given: new Set() };
  for (const dialect of ['trl', 'rlvr'] satisfies Dialect[]) {
    const overrides: Override[] = foreign.filter((each) => each.dialect === dialect);
    if (!result.ok || overrides.length === 0) continue;
    const next: SettingsResult = applyForeign(dialect, overrides, result.config);
    result = next.ok
      ? {
          ...next,
          replaced: [...result.replaced, ...next.replaced],
          ignored: [...result.ignored, ...next.ignored],
        }
      : next;
  }
  return result;
}

/** All of it, checked. Notes say what was replaced, ignored, or brought along by a change. */
export function trainConfig(asked: TrainWords): TrainConfig {
  const named = namedFile(asked.file);
  const dialect = named.kind === 'file' ? dialectOfFile(named.path) : null;
  const known = named.kind === 'known' ? named : null;
  const word = asked.words.find(({ name }) => name === 'preset')?.text;
  const preset = PRESET_NAMES.find((name) => name === word) ?? known?.preset ?? asked.preset ?? 'default';
  const sorted = sortWords(asked.words, dialect ?? known?.dialect ?? null, preset);
  const wordErrors = [...sorted.errors, ...sorted.own.errors];

  const start = startFrom(asked, sorted);
  if (!start.ok) return { ok: false, errors: [...wordErrors, ...start.errors] };
  const additions = (known?.additions ?? []).map((each) => ({ ...each, dialect: known?.dialect ?? 'trl' }));
  const foreign = [...additions, ...sorted.foreign];
  const changed = dialect === null ? withForeign(start.config, foreign) : start;
  if (!changed.ok) return { ok: false, errors: [...wordErrors, ...changed.errors] };

  const usual = (start.usual ?? []).filter(({ key }) => !start.given.has(key) && !changed.given.has(key));
  const values = { ...asValues([...usual, ...asked.options]), ...sorted.own.values };
  const base = forTask(changed.config, values.task);
  const names = new Map<FieldKey, string>([
    ...asked.options.map(({ key, flag }) => [key, flag] as const),
    ...sorted.own.names,
  ]);
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
  const said = (sentence: string): boolean => notes.includes(`Replaced. ${sentence}`);
  return {
    ok: true,
    config: settled.config,
    notes: [
      ...notes,
      ...(dialect === null ? replacements(settled.config).filter((each) => !said(each)) : []),
    ],
  };
}
