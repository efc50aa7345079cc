/** Reads the keys of a file that was written for another system, and records each. */
import {
  NUMBER_TEXT,
  flagOfWord,
  RUN_FIELDS,
  type FieldKey,
  type RunConfig,
  closestName,
  type AskedTracker,
} from '@rl-playground/run/settings';
import { quoted } from '@rl-playground/base/valueSchemas';
import { isTree, type Tree, type Ignored } from '@rl-playground/run/settings/files';

export const NOT_KNOWN = 'nothing of that name is known here';
/** The most unknown names that are compared with known ones: a file with more holds something else, and each takes a moment. */
const MOST_COMPARED = 20;

/** The words of a list that is written with spaces and ends of lines between them. */
export const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** All that an importer has found, key by key. */
export class Account {
  readonly values: Partial<Record<FieldKey, unknown>> = {};
  /** The path of the key that decides each setting. */
  readonly names = new Map<FieldKey, string>();
  readonly replaced: string[] = [];
  readonly ignored: Ignored[] = [];
  readonly errors: string[] = [];
  /** The trackers for which the file asks. */
  readonly tracking: AskedTracker[] = [];
  #compared = 0;

  /** `path` is the key that decides the setting, for errors; null if no single one does. */
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

  /** The reason for a name that nobody knows, with the one of `names` that may have been meant. */
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

/** The value of a setting, whose number may be written as text. */
export const valueFor = (setting: FieldKey, value: unknown): unknown =>
  typeof RUN_FIELDS[setting].info.default === 'number' ? numberOf(value) : value;

/** The keys of one mapping. A key that is asked for counts as read; null there means "not given". */
export class KeyReader {
  readonly #tree: Tree;
  readonly #prefix: string;
  readonly account: Account;
  readonly #read = new Set<string>();

  constructor(tree: Tree, prefix: string, account: Account) {
    this.#tree = tree;
    this.#prefix = prefix;
    this.account = account;
  }

  /** Notes what is replaced by something else. */
  note(sentence: string): void {
    this.account.replaced.push(sentence);
  }

  /** Sets a setting that no single key decides. */
  set<Key extends FieldKey>(setting: Key, value: RunConfig[Key]): void {
    this.account.set(setting, value, null);
  }

  path(key: string): string {
    return `${this.#prefix}${key}`;
  }

  /** True if the key is there and empty. */
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

  /** The value, which does not count as read. */
  peek(key: string): unknown {
    return Object.hasOwn(this.#tree, key) ? (this.#tree[key] ?? undefined) : undefined;
  }

  refuse(key: string, message: string): undefined {
    this.account.refuse(this.path(key), message);
    return undefined;
  }

  number(key: string, { min, max, whole }: Bounds): number | undefined {
    const value = this.value(key);
    if (value === undefined) return undefined;
    const number = numberOf(value);
    const kind = whole === true ? 'a whole number' : 'a number';
    const choose = `choose ${min} to ${max}.`;
    if (typeof number !== 'number' || !Number.isFinite(number) || (whole && !Number.isInteger(number)))
      return this.refuse(key, `${quoted(value)} is not ${kind}; ${choose}`);
    if (number < min) return this.refuse(key, `${number} is too small; ${choose}`);
    if (number > max) return this.refuse(key, `${number} is too large; ${choose}`);
    return number;
  }

  /** Puts the value of a key into a setting, unless the key gave none. */
  put<Key extends FieldKey>(key: string, setting: Key, value: RunConfig[Key] | undefined): void {
    if (value !== undefined) this.account.set(setting, value, this.path(key));
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

  choice<const Words extends readonly string[]>(key: string, choices: Words): Words[number] | undefined {
    const value = this.value(key);
    if (value === undefined) return undefined;
    const found: Words[number] | undefined = choices.find((each) => each === value);
    return (
      found ?? this.refuse(key, `${quoted(value)} does not exist; choose one of: ${choices.join(', ')}.`)
    );
  }

  tree(key: string): Tree | undefined {
    const value = this.value(key);
    if (value === undefined || isTree(value)) return value;
    return this.refuse(key, `${quoted(value)} is no mapping of names to values.`);
  }

  /** Names a key that was read, gave a value, and has no effect under the others. */
  idle(key: string, value: unknown, reason: string): void {
    if (value !== undefined) this.account.ignore(this.path(key), value, reason);
  }

  /** Names a key of the file that means nothing here. */
  ignore(key: string, reason: string): void {
    if (this.#read.has(key) || !Object.hasOwn(this.#tree, key)) return;
    this.#read.add(key);
    ignoreLeaves(this.account, this.path(key), this.#tree[key], reason);
  }

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
