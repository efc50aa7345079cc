/** The words of a command line that set something: `setting=value`, and options that name a setting (`--max_tokens 100`). */
import { parse } from 'yaml';
import {
  FIELDS,
  valueFromText,
  keyOfName,
  NESTED_NAMES,
  readNames,
  unknownName,
  type NamedValues,
  type FieldKey,
} from '@rl-playground/run/settings';
import type { Ignored } from '@rl-playground/run/settings/files';
import { type Dialect, isRlvrKey, type Override, tinkerReason } from '@rl-playground/bridges/settings';

const OPTION = /^--([a-z][\w.-]*)(?:=([^]*))?$/i;

/** The setting that an option names, with hyphens or underscores; null for any other option. */
function settingOf(name: string): string | null {
  const found = [name, name.replaceAll('-', '_')].find(
    (each) => keyOfName(each) !== null || isRlvrKey(each) || tinkerReason(each) !== null,
  );
  return found ?? null;
}

/** Takes the values of an option from the words behind it: the first, and those that follow it and set nothing themselves. */
function valuesIn(rest: string[]): string[] {
  const values: string[] = [];
  for (let next = rest[0]; next !== undefined && !OPTION.test(next); next = rest[0]) {
    if (values.length > 0 && (next.includes('=') || /^[-~]/.test(next))) break;
    values.push(next);
    rest.shift();
  }
  return values;
}

/**
 * Spells each option that is none of `own` but names a setting as `setting=value`. The value is the word behind it, a list of several, or true
 * without any.
 */
export function withSpelledOptions(words: readonly string[], own: ReadonlySet<string>): string[] {
  const result: string[] = [];
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [, name = '', inside] = OPTION.exec(word) ?? [];
    const setting = name === '' || own.has(`--${name}`) ? null : settingOf(name);
    if (setting === null) {
      result.push(word);
      continue;
    }
    const values = inside === undefined ? valuesIn(rest) : [inside];
    const [only = 'true', ...more] = values;
    result.push(`${setting}=${more.length === 0 ? only : `[${values.join(', ')}]`}`);
  }
  return result;
}

export interface Word {
  /** The word in a message: `--set learningRate`, or the word itself. */
  readonly shown: string;
  readonly name: string;
  readonly text: string;
}

/** Splits words at their first "=". */
export function splitWords(
  set: readonly string[],
  bare: readonly string[],
): { readonly words: readonly Word[]; readonly errors: readonly string[] } {
  const words: Word[] = [];
  const errors: string[] = [];
  const all = [...set.map((word) => ['--set ', word] as const), ...bare.map((word) => ['', word] as const)];
  for (const [before, word] of all) {
    const at = word.indexOf('=');
    const name = word.slice(0, Math.max(0, at));
    if (at > 0) words.push({ shown: `${before}${name}`, name, text: word.slice(at + 1) });
    // Hydra takes away a group or a key that is named alone.
    else if (/^~[\w@/.]+$/.test(word)) words.push({ shown: `${before}${word}`, name: word, text: 'null' });
    else if (before === '') errors.push(`${word}: an argument is a setting; write it as setting=value.`);
    else errors.push(`${before}${word}: write it as setting=value.`);
  }
  return { words, errors };
}

/** Reads a value of a command line as YAML does: numbers, flags, null, lists in brackets, else text. Hydra's `[+,-]` is a list, too. */
function valueOfWord(text: string): unknown {
  try {
    const value: unknown = parse(text, { logLevel: 'error' });
    return value;
  } catch {
    const inside = /^\[([^[\]{}"']*)\]$/.exec(text)?.[1];
    return inside === undefined ? text : inside.split(',').map((each) => each.trim());
  }
}

const TASK_SETTING = /^(?:task_config|taskConfig)\.(\w+)$/;

/** Reads flags in Python's spelling, and lists and mappings as YAML writes them. */
function valueOf(key: FieldKey, text: string): unknown {
  const { type } = FIELDS.find((field) => field.key === key) ?? {};
  const word = type === 'boolean' ? text.toLowerCase() : text;
  const value = valueFromText(key, word);
  return type === 'structure' && typeof value === 'string' ? valueOfWord(value) : value;
}

export interface SortedWords {
  /** The settings of this project. */
  readonly own: NamedValues;
  /** The settings of the task, such as `task_config.max_terms=3`. */
  readonly ofTask: Readonly<Record<string, unknown>>;
  /** The keys of simplexity's RLVR, which Hydra reads. */
  readonly overrides: readonly Override[];
  /** Keys of another system that mean nothing here. */
  readonly ignored: readonly Ignored[];
  readonly errors: readonly string[];
}

/** Sorts words by what they set. `file` is the system of the settings file. */
export function sortWords(words: readonly Word[], file: Dialect | null): SortedWords {
  const own: [string, unknown][] = [];
  const ofTask: Record<string, unknown> = {};
  const overrides: Override[] = [];
  const ignored: Ignored[] = [];
  const errors: string[] = [];
  for (const { shown, name: written, text } of words) {
    // Hydra's sign of a new key has no meaning if the keys are known.
    const name = file === 'rlvr' ? written : written.replace(/^\+\+?/, '');
    const setting = TASK_SETTING.exec(name)?.[1];
    const reason = tinkerReason(name);
    const key = keyOfName(name);
    if (setting !== undefined && Object.hasOwn(ofTask, setting))
      errors.push(`${shown} is given twice; give it once.`);
    else if (setting !== undefined) ofTask[setting] = valueOfWord(text);
    else if (key !== null) own.push([name, valueOf(key, text)]);
    else if (NESTED_NAMES.includes(name)) own.push([name, valueOfWord(text)]);
    else if (file === 'rlvr' || (file === null && isRlvrKey(name)))
      overrides.push({ path: name, value: valueOfWord(text) });
    else if (reason !== null) ignored.push({ path: name, value: valueOfWord(text), reason });
    else
      errors.push(`${shown.slice(0, shown.length - written.length)}${unknownName(name, valueOfWord(text))}`);
  }
  const named = readNames(own);
  errors.push(...named.unknown.map(([name, value]) => unknownName(name, value)));
  return { own: named, ofTask, overrides, ignored, errors };
}
