/** Tells whose settings a file holds, and reads them. */
import { dialectOf, importForeign, type Dialect, type ImportOptions } from '../foreign/import.ts';
import { isNative, readNative, type StartFrom } from './native.ts';
import { isTree, parseText, type ParsedText, type YamlLibrary } from './parse.ts';
import type { SettingsResult } from './result.ts';

export interface ReadOptions extends ImportOptions {
  /** Where settings start that a file of this project leaves out, unless it names a task or preset itself. */
  readonly start?: StartFrom;
}

/** The system that a settings file was written for; null for one of this project, and for a text that can't be read. */
export function dialectOfText(yaml: YamlLibrary, text: string): Dialect | null {
  const file = parseText(yaml, text);
  return file.ok ? dialectIn(withinCheckpoint(file)) : null;
}

function dialectIn({ tree }: ParsedText): Dialect | null {
  return isNative(tree) ? null : dialectOf(tree);
}

/** The settings in the `config.json` of a checkpoint, which is otherwise the model's; any other file as it is. */
function withinCheckpoint(file: ParsedText): ParsedText {
  const own = file.tree.rl_playground;
  return isTree(own) && isTree(own.run)
    ? { ...file, tree: own.run, lineOf: (path) => file.lineOf(`rl_playground.run.${path}`) }
    : file;
}

/**
 * Reads a settings file, or the `config.json` of a run directory or checkpoint. Never throws. Files of RL for Real (TRL's GRPO trainer) and
 * of simplexity's RLVR (Hydra) are told by their keys. Overrides count for files of those systems alone.
 */
export function readSettingsWith(yaml: YamlLibrary, text: string, options: ReadOptions = {}): SettingsResult {
  const file = parseText(yaml, text);
  if (!file.ok) return file;
  const parsed = withinCheckpoint(file);
  const dialect = dialectIn(parsed);
  return dialect === null ? readNative(parsed, options.start ?? {}) : importForeign(dialect, parsed, options);
}
