/** The settings file of a command line, with the files of the groups that it names. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as yaml from 'yaml';
import { messageOf } from '../src/base/errors.ts';
import type { Dialect } from '../src/config/foreign/import.ts';
import type { GroupFile, Override } from '../src/config/foreign/hydra.ts';
import { parseText } from '../src/config/files/parse.ts';
import type { PresetName } from '../src/config/settings/model.ts';
import { dialectOfText, readSettings, type StartFrom } from '../src/config/files/read.ts';
import type { SettingsResult } from '../src/config/files/settle.ts';

/** How a command line names a file: by its path, or as Hydra does. */
export interface ConfigWords {
  readonly config?: string;
  readonly configPath?: string;
  readonly configName?: string;
}

interface KnownFile {
  readonly preset: PresetName;
  readonly dialect: Dialect;
  /** What the file says beyond the preset: a value of its own, or one in relation to other settings. */
  readonly additions: readonly Override[];
}

/** The main configurations that are known by name, for a command line that comes without its file. */
const KNOWN: Readonly<Record<string, KnownFile>> = {
  grpo: {
    preset: 'rl-for-real-grpo',
    dialect: 'trl',
    additions: [
      { path: 'lr_scheduler_type', value: 'constant_with_warmup' },
      { path: 'warmup_ratio', value: 0.1 },
    ],
  },
  train_rlvr_model: { preset: 'rlvr-small', dialect: 'rlvr', additions: [] },
  train_rlvr_test: { preset: 'rlvr-test', dialect: 'rlvr', additions: [{ path: 'seed', value: 42 }] },
};

export type NamedFile =
  | { readonly kind: 'none' }
  | { readonly kind: 'file'; readonly path: string }
  /** No file: the preset that repeats the configuration of that name. */
  | ({ readonly kind: 'known'; readonly note: string } & KnownFile)
  | { readonly kind: 'error'; readonly text: string };

/** The file that a command line names. */
export function namedFile({ config, configPath, configName }: ConfigWords): NamedFile {
  if (config !== undefined && configName !== undefined)
    return { kind: 'error', text: '--config and --config-name both name a file; give one of them.' };
  if (config !== undefined) {
    const found = statSync(config, { throwIfNoEntry: false });
    if (found !== undefined && !found.isDirectory()) return { kind: 'file', path: config };
    const what = found === undefined ? 'there is no file' : 'a folder is no file:';
    return { kind: 'error', text: `--config: ${what} ${config}; give the path of a .yaml or .json file.` };
  }
  if (configName === undefined)
    return configPath === undefined
      ? { kind: 'none' }
      : { kind: 'error', text: '--config-path names a folder; name the file in it by --config-name.' };
  const name = configName.replace(/\.ya?ml$/, '');
  const path = [`${name}.yaml`, `${name}.yml`]
    .map((file) => join(configPath ?? '.', file))
    .find((file) => existsSync(file));
  if (path !== undefined) return { kind: 'file', path };
  const known = Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined;
  const missing = `there is no file ${join(configPath ?? '.', `${name}.yaml`)}`;
  return known === undefined
    ? {
        kind: 'error',
        text: `--config-name: ${missing}; the names known without a file are ${Object.keys(KNOWN).join(', ')}.`,
      }
    : {
        kind: 'known',
        ...known,
        note: `--config-name ${name}: ${missing}; the preset ${known.preset} repeats its settings.`,
      };
}

/** Hydra's groups lie in folders beside the file. */
function groupReader(path: string) {
  return (group: string, option: string): GroupFile | null => {
    const file = join(dirname(path), group, `${option}.yaml`);
    if (!existsSync(file)) return null;
    const text = readFileSync(file, 'utf8');
    const parsed = parseText(text);
    if (!parsed.ok) throw new Error(`${file}: ${parsed.errors.join(' ')}`);
    const place = /^#\s*@package\s+(\S+)/m.exec(text)?.[1];
    return { tree: parsed.tree, ...(place === undefined ? {} : { package: place }) };
  };
}

/** The system that a file was written for; null for one of this project, and for one that can't be read. */
export function dialectOfFile(path: string): Dialect | null {
  try {
    return dialectOfText(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

/** Reads a settings file. Errors name it. */
export function readConfigFile(
  path: string,
  options: { readonly start: StartFrom; readonly overrides: readonly Override[] },
): SettingsResult {
  try {
    const result = readSettings(readFileSync(path, 'utf8'), {
      ...options,
      readGroup: groupReader(path),
    });
    return result.ok
      ? result
      : { ok: false, errors: result.errors.map((error) => `${basename(path)}: ${error}`) };
  } catch (error) {
    return { ok: false, errors: [`${path}: ${messageOf(error)}`] };
  }
}

/** A value of a command line, as YAML reads it: numbers, flags, null, lists in brackets; else text. Hydra's `[+,-]` is a list, too. */
export function valueOfWord(text: string): unknown {
  try {
    const value: unknown = yaml.parse(text, { logLevel: 'error' });
    return value;
  } catch {
    const inside = /^\[([^[\]{}"']*)\]$/.exec(text)?.[1];
    return inside === undefined ? text : inside.split(',').map((each) => each.trim());
  }
}
