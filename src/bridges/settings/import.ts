/** Reads settings of other systems: each key is read, or named with the reason why it is not. */
import { readNames, defaultConfig, replacements, type RunConfig } from '@rl-playground/run/settings';
import { type ParsedText, type Tree, settle, type SettingsResult } from '@rl-playground/run/settings/files';
import type { Override } from './hydra.ts';
import { Account } from './reader.ts';
import { isRlvr, readRlvr, rlvrPresetOf, RLVR_TASK, type ImportOptions } from './rlvr.ts';
import { isTrl, readTrl } from './trl.ts';
import { statedBy, trlBase, trlBaseNote, withModelPath } from './trlFile.ts';

/** The system for which settings were written. */
export type Dialect = 'rlvr' | 'trl';

export function dialectOf(tree: Tree): Dialect | null {
  if (isRlvr(tree)) return 'rlvr';
  return isTrl(tree) ? 'trl' : null;
}

const withLine = (error: string, lineOf: ParsedText['lineOf']): string => {
  const line = lineOf(error.slice(0, Math.max(0, error.indexOf(': '))));
  return line === null ? error : `line ${line}: ${error}`;
};

function finish(
  base: RunConfig,
  account: Account,
  rest: readonly (readonly [string, unknown])[],
  lineOf: ParsedText['lineOf'],
): SettingsResult {
  const own = readNames(rest);
  const errors = [...account.errors, ...own.errors];
  if (errors.length > 0) return { ok: false, errors: errors.map((error) => withLine(error, lineOf)) };
  const names = new Map([...account.names, ...own.names]);
  const settled = settle(base, { values: { ...account.values, ...own.values }, names, errors: [] }, lineOf);
  if (!settled.ok) return settled;
  return {
    ok: true,
    config: settled.config,
    replaced: [...account.replaced, ...settled.notes],
    ignored: account.ignored,
    given: new Set(names.keys()),
    tracking: account.tracking,
  };
}

/** Adds the notes on replacements that the file itself has not caused. */
function withReplacements(result: SettingsResult): SettingsResult {
  if (!result.ok) return result;
  const kindOf = (sentence: string): string => sentence.slice(0, sentence.indexOf(':'));
  const said = new Set(result.replaced.map(kindOf));
  const more = replacements(result.config).filter((sentence) => !said.has(kindOf(sentence)));
  return { ...result, replaced: [...result.replaced, ...more] };
}

/** Reads a file of another system. A file that states a part of a run changes the system's own preset. */
export function importForeign(
  dialect: Dialect,
  { tree, lineOf }: Pick<ParsedText, 'tree' | 'lineOf'>,
  options: ImportOptions = {},
): SettingsResult {
  const account = new Account();
  if (dialect === 'rlvr') {
    const source = { tree, ...options };
    const base = defaultConfig(RLVR_TASK, rlvrPresetOf(source));
    return withReplacements(finish(base, account, readRlvr(source, base, account), lineOf));
  }
  const whole = withModelPath(tree);
  const base = trlBase(whole);
  const note = trlBaseNote(whole);
  if (note !== null) account.replaced.push(note);
  const result = finish(base, account, readTrl(whole, base, account, options.model), lineOf);
  return statedBy(whole) === 'part' ? withReplacements(result) : result;
}

/** Changes a config by overrides of simplexity's RLVR, which Hydra takes from a command line. */
export function applyOverrides(overrides: readonly Override[], base: RunConfig): SettingsResult {
  const account = new Account();
  return finish(base, account, readRlvr({ tree: {}, overrides }, base, account), () => null);
}
