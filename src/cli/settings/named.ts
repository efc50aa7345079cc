/** The settings file that a command line names, with the files of the groups that it names itself. */
import { messageOf } from '@rl-playground/base/errors';
import {
  type Dialect,
  dialectOfText,
  type GroupFile,
  type Override,
  type ReadOptions,
  readSettings,
} from '@rl-playground/bridges/settings';
import type { PresetName } from '@rl-playground/run/settings';
import { parseText, type SettingsResult } from '@rl-playground/run/settings/files';

/** Files as a program has them, with the functions of `node:path`. */
export interface FileReader {
  /** The kind of what lies at a path; null if nothing does. */
  kindOf(path: string): 'file' | 'folder' | null;
  /** @throws Error if it can't be read. */
  read(path: string): string;
  join(...parts: string[]): string;
  dirname(path: string): string;
  basename(path: string): string;
}

/** The words by which a command line names a file: its path, or Hydra's names. */
export interface FileWords {
  readonly config?: string;
  readonly configPath?: string;
  readonly configName?: string;
}

interface KnownFile {
  readonly preset: PresetName;
  /** The settings of the file that the preset does not have. */
  readonly additions: readonly Override[];
}

/** RLVR's main configurations, which a command line may name without having their files. */
const KNOWN: Readonly<Record<string, KnownFile>> = {
  train_rlvr_model: { preset: 'rlvr-small', additions: [] },
  train_rlvr_test: { preset: 'rlvr-test', additions: [{ path: 'seed', value: 42 }] },
};

export type NamedFile =
  | { readonly kind: 'none' }
  /** `dialect` is null for a file of this project, and for a text that can't be understood. */
  | { readonly kind: 'file'; readonly path: string; readonly text: string; readonly dialect: Dialect | null }
  /** The preset that repeats the configuration of that name. */
  | ({ readonly kind: 'known'; readonly note: string } & KnownFile)
  | { readonly kind: 'error'; readonly text: string };

const refused = (text: string): NamedFile => ({ kind: 'error', text });

function opened(files: FileReader, path: string): NamedFile {
  try {
    const text = files.read(path);
    return { kind: 'file', path, text, dialect: dialectOfText(text) };
  } catch (error) {
    return refused(`${path}: ${messageOf(error)}`);
  }
}

export function namedFile(files: FileReader, { config, configPath, configName }: FileWords): NamedFile {
  if (config !== undefined && configName !== undefined)
    return refused('--config and --config-name both name a file; give one of them.');
  if (config !== undefined) {
    const found = files.kindOf(config);
    if (found === 'file') return opened(files, config);
    const what = found === null ? 'there is no file' : 'a folder is no file:';
    return refused(`--config: ${what} ${config}; give the path of a .yaml or .json file.`);
  }
  if (configName === undefined)
    return configPath === undefined
      ? { kind: 'none' }
      : refused('--config-path names a folder; name the file in it by --config-name.');
  const name = configName.replace(/\.ya?ml$/, '');
  const path = [`${name}.yaml`, `${name}.yml`]
    .map((file) => files.join(configPath ?? '.', file))
    .find((file) => files.kindOf(file) !== null);
  if (path !== undefined) return opened(files, path);
  const known = Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined;
  const missing = `there is no file ${files.join(configPath ?? '.', `${name}.yaml`)}`;
  if (known === undefined)
    return refused(
      `--config-name: ${missing}; the names known without a file are ${Object.keys(KNOWN).join(', ')}.`,
    );
  const note = `--config-name ${name}: ${missing}; the preset ${known.preset} repeats its settings.`;
  return { kind: 'known', ...known, note };
}

/** Reads Hydra's groups, which lie in folders beside the file. */
function groupReader(files: FileReader, path: string) {
  return (group: string, option: string): GroupFile | null => {
    const file = files.join(files.dirname(path), group, `${option}.yaml`);
    if (files.kindOf(file) === null) return null;
    const text = files.read(file);
    const parsed = parseText(text);
    if (!parsed.ok) throw new Error(`${file}: ${parsed.errors.join(' ')}`);
    const place = /^#\s*@package\s+(\S+)/m.exec(text)?.[1];
    return { tree: parsed.tree, ...(place === undefined ? {} : { package: place }) };
  };
}

/** The settings of a file that was read. Errors name it. */
export function readNamed(
  files: FileReader,
  { path, text }: { readonly path: string; readonly text: string },
  options: Pick<ReadOptions, 'start' | 'overrides' | 'model'>,
): SettingsResult {
  try {
    const result = readSettings(text, { ...options, readGroup: groupReader(files, path) });
    if (result.ok) return result;
    return { ok: false, errors: result.errors.map((error) => `${files.basename(path)}: ${error}`) };
  } catch (error) {
    return { ok: false, errors: [`${path}: ${messageOf(error)}`] };
  }
}
