/** Options of other systems' command lines (`--max_steps 100`) as words of ours (`max_steps=100`). */
import { dialectOfKey } from '../src/config/foreign/import.ts';
import { tinkerReason } from '../src/config/foreign/reasons.ts';
import { keyOfName } from '../src/config/names.ts';

const OPTION = /^--([a-z][\w.-]*)(?:=([^]*))?$/i;

/** The setting that an option names, with hyphens or underscores; null where it names none. */
function settingOf(name: string): string | null {
  const found = [name, name.replaceAll('-', '_')].find(
    (each) =>
      keyOfName(each) !== null || dialectOfKey(each, 'default') !== null || tinkerReason(each) !== null,
  );
  return found ?? null;
}

/**
 * Words in which each option that is none of `own` but names a setting stands as `setting=value`, as TRL's parser takes it: the value behind
 * it, or true where none is.
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
    const alone = inside === undefined && (rest[0] === undefined || OPTION.test(rest[0]));
    result.push(`${setting}=${inside ?? (alone ? 'true' : (rest.shift() ?? ''))}`);
  }
  return result;
}
