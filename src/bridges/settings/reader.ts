/** Reads the keys of a file that was written for another system, and records each. */
import {
  NUMBER_TEXT,
  flagOfWord,
  type FieldKey,
  type RunConfig,
  closestName,
  type AskedTracker,
} from '@rl-playground/run/settings';
import { quoted } from '@rl-playground/base/valueSchemas';
import { isTree, type Tree, type Ignored } from '@rl-playground/run/settings/files';

export const NOT_KNOWN = 'nothing of that name is known here';
/** The most unknown names that are compared with known ones: a file with more of them holds something else, and each takes a moment. */
const MOST_COMPARED = 20;

/** The findings of an importer, key by key. */
export class Account {
  readonly values: Partial<Record<FieldKey, unknown>> = {};
  /** The path of the key that decides each setting. */
  readonly names = new Map<FieldKey, string>();
  readonly replaced: string[] = [];
  readonly ignored: Ignored[] = [];
  readonly errors: string[] = [];
  /** The trackers that were asked for. */
  readonly tracking: AskedTracker[] = [];
  #compared = 0;

  /** Sets a setting. `path` is the key that decides it, for errors; null if no single one does. */
  set<Key extends FieldKey>(key: Key, value: RunConfig[Key], path: string | null): void {
    this.values[key] = value;
    if (path !== null) this.names.set(key, path);
  }

  ignore(path: string, value: unknown, reason: string): void {
    this.ignored.push({ path, value, reason });
  }

  refuse(path: string, message: string): void {
    this.errors.push(`${path}: ${message}`);
  }

  /** The message about an unknown name; `names` are those that may have been meant. */
  notKnown(name: string, names: readonly string[], reason = NOT_KNOWN): string {
    const meant = this.#compared++ < MOST_COMPARED ? closestName(name, names) : null;
    return meant === null ? reason : `${reason}; perhaps ${meant} is meant`;
  }
}

/** A setting that is a number. */
type NumberKey = { [Key in FieldKey]: RunConfig[Key] extends number ? Key : never }[FieldKey];

interface Bounds {
  readonly min: number;
  readonly max: number;
  /** True for whole numbers only. */
  readonly whole?: true;
}

/** YAML 1.1 has underscores between the digits of whole numbers. */
const GROUPED_DIGITS = /^[+-]?\d+(_\d+)+$/;

/** The number of a value: PyYAML reads 1e-6 as text, which the systems turn into a number, and 1_000 as a number. */
function numberOf(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const digits = GROUPED_DIGITS.test(value) ? value.replaceAll('_', '') : value;
  return NUMBER_TEXT.test(digits) ? Number(digits) : value;
}

/** The keys of one mapping. A key that is asked for counts as read; null there means "not given". */
export class KeyReader {
  readonly #tree: Tree;
  readonly #prefix: string;
  readonly #account: Account;
  readonly #read = new Set<string>();

  constructor(tree: Tree, prefix: string, account: Account) {
    this.#tree = tree;
    this.#prefix = prefix;
    this.#account = account;
  }

  path(key: string): string {
    return `${this.#prefix}${key}`;
  }

  /** True if the key is there, and empty. */
  isNull(key: string): boolean {
    return Object.hasOwn(this.#tree, key) && this.#tree[key] === null;
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#tree, key) && this.#tree[key] !== null;
  }

  value(key: string): unknown {
    this.#read.add(key);
    return this.peek(key);
  }

  /** Returns a value that something else reads, or may read. */
  peek(key: string): unknown {
    return Object.hasOwn(this.#tree, key) ? (this.#tree[key] ?? undefined) : undefined;
  }

  /** Reports a key as wrong. */
  refuse(key: string, message: string): undefined {
    this.#account.refuse(this.path(key), message);
    return undefined;
  }

  number(key: string, { min, max, whole }: Bounds): number | undefined {
    const value = this.value(key);
    if (value === undefined) return undefined;
    const number = numberOf(value);
    const kind = whole === true ? 'a whole number' : 'a number';
    if (
      typeof number !== 'number' ||
      !Number.isFinite(number) ||
      (whole === true && !Number.isInteger(number))
    )
      return this.refuse(key, `${quoted(value)} is not ${kind}; choose ${min} to ${max}.`);
    if (number < min || number > max)
      return this.refuse(
        key,
        `${number} is too ${number < min ? 'small' : 'large'}; choose ${min} to ${max}.`,
      );
    return number;
  }

  /** Puts the value of a key into a setting, under the key's name; nothing if it gave none. */
  put<Key extends FieldKey>(key: string, setting: Key, value: RunConfig[Key] | undefined): void {
    if (value !== undefined) this.#account.set(setting, value, this.path(key));
  }

  /** Puts numbers into settings, each from `min` to `max`. */
  putNumbers(
    rows: readonly (readonly [key: string, setting: NumberKey, min: number, max: number, whole?: true])[],
  ): void {
    for (const [key, setting, min, max, whole] of rows)
      this.put(key, setting, this.number(key, { min, max, ...(whole && { whole }) }));
  }

  flag(key: string): boolean | undefined {
    const value = flagOfWord(this.value(key));
    if (value === undefined || typeof value === 'boolean') return value;
    return this.refuse(key, `${quoted(value)} is not a yes or no; choose true or false.`);
  }

  text(key: string): string | undefined {
    const value = this.value(key);
    if (value === undefined || typeof value === 'string') return value;
    return this.refuse(key, `${quoted(value)} is no text.`);
  }

  choice<const Words extends readonly string[]>(key: string, words: Words): Words[number] | undefined {
    const value = this.value(key);
    if (value === undefined) return undefined;
    const word = typeof value === 'string' ? value : undefined;
    const found: Words[number] | undefined = words.find((each) => each === word);
    return found ?? this.refuse(key, `${quoted(value)} does not exist; choose one of: ${words.join(', ')}.`);
  }

  tree(key: string): Tree | undefined {
    const value = this.value(key);
    if (value === undefined || isTree(value)) return value;
    return this.refuse(key, `${quoted(value)} is no mapping of names to values.`);
  }

  /** Reports a key that was read and has no effect under the others, if it gave a value. */
  idle(key: string, value: unknown, reason: string): void {
    if (value !== undefined) this.#account.ignore(this.path(key), value, reason);
  }

  /** Reports a key as meaningless here, if the file has it. */
  ignore(key: string, reason: string): void {
    if (this.#read.has(key) || !Object.hasOwn(this.#tree, key)) return;
    this.#read.add(key);
    ignoreLeaves(this.#account, this.path(key), this.#tree[key], reason);
  }

  /** The keys that have not been asked for. */
  unread(): string[] {
    return Object.keys(this.#tree).filter((key) => !this.#read.has(key));
  }
}

/** Reports every value below a path as ignored. */
export function ignoreLeaves(account: Account, path: string, value: unknown, reason: string): void {
  const below = isTree(value) ? Object.entries(value) : [];
  if (below.length === 0) account.ignore(path, value, reason);
  for (const [key, each] of below) ignoreLeaves(account, `${path}.${key}`, each, reason);
}
