/** Composes a Hydra configuration: its `defaults:` list, the groups named there, and overrides of a command line. */
import { quoted } from '@rl-playground/base/valueSchemas';
import { isTree, type Tree } from '@rl-playground/run/settings/files';

/** A file of a group, with the package that its header names. */
export interface GroupFile {
  readonly tree: Tree;
  readonly package?: string;
}

/** One entry of a defaults list. */
export interface GroupChoice {
  /** The entry as it is written, such as `training@rlvr_training`. */
  readonly entry: string;
  /** The folder of the group, such as `training`; empty for a file beside the primary one. */
  readonly group: string;
  /** The place of its values, such as `rlvr_training`; empty for the root. */
  readonly package: string;
  /** Null takes nothing of the group. */
  readonly option: string | null;
}

export interface Composed {
  readonly tree: Tree;
  readonly choices: readonly (GroupChoice & { readonly found: boolean })[];
  readonly errors: readonly string[];
}

export interface Override {
  /** A dotted path, or the name of a group, perhaps with its package; `~` before it takes it away, `+` adds it. */
  readonly path: string;
  readonly value: unknown;
}

const DEEPEST = 10;
/** The most files of one configuration; each is merged into all before it. */
const MOST_FILES = 100;

/** Merges mappings; later values win. */
function merged(base: Tree, over: Tree): Tree {
  const result: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const before = Object.hasOwn(result, key) ? result[key] : undefined;
    const next = isTree(before) && isTree(value) ? merged(before, value) : value;
    Object.defineProperty(result, key, { value: next, enumerable: true, writable: true, configurable: true });
  }
  return result;
}

function placed(path: string, value: unknown): Tree {
  const keys = path === '' ? [] : path.split('.');
  const inner = keys.reduceRight<unknown>((below, key) => ({ [key]: below }), value);
  return isTree(inner) ? inner : {};
}

interface Entry extends GroupChoice {
  /** A `file` lies in the same folder, and no override chooses another. */
  readonly kind: 'self' | 'file' | 'group' | 'override';
}

const join = (parts: readonly string[], by: string): string => parts.filter((part) => part !== '').join(by);

/** The entries of one line of a defaults list, within a file of `parent`; null for a line that is none. */
function entriesOf(
  line: unknown,
  parent: { readonly group: string; readonly package: string },
): Entry[] | null {
  if (line === '_self_') return [{ kind: 'self', entry: '_self_', group: '', package: '', option: null }];
  if (typeof line === 'string')
    return [{ kind: 'file', entry: line, group: parent.group, package: parent.package, option: line }];
  if (!isTree(line)) return null;
  return Object.entries(line).flatMap(([key, value]): Entry[] => {
    const words = key.trim().split(/\s+/);
    const entry = words.at(-1) ?? '';
    const [name = '', at] = entry.split('@');
    const group = name.startsWith('/') ? name.slice(1) : join([parent.group, name], '/');
    const own = name.replace(/^\//, '').replaceAll('/', '.');
    const place =
      at === undefined
        ? join([name.startsWith('/') ? '' : parent.package, own], '.')
        : at.startsWith('_global_')
          ? at.replace(/^_global_\.?/, '')
          : join([parent.package, at.replace(/^_here_\.?/, '')], '.');
    const kind = words.includes('override') ? 'override' : 'group';
    const options: readonly unknown[] = Array.isArray(value) ? value : [value];
    return options.map((option) => ({
      kind,
      entry,
      group,
      package: place,
      option: typeof option === 'string' ? option : null,
    }));
  });
}

const sameGroup = (a: GroupChoice, b: GroupChoice): boolean =>
  a.group === b.group && (a.package === b.package || !b.entry.includes('@'));

/** The path of an override, and whether it takes away the value there. */
function pathOf({ path }: Override): { readonly bare: string; readonly removes: boolean } {
  return { bare: path.replace(/^(\+\+?|~)/, ''), removes: path.startsWith('~') };
}

/** The group that an override chooses: `group=option`, `group@package=option`, `~group`. */
function choiceOf(override: Override): Entry | null {
  const { bare, removes } = pathOf(override);
  const value = removes ? null : override.value;
  const [entry] = entriesOf({ [bare]: value }, { group: '', package: '' }) ?? [];
  return entry === undefined ? null : { ...entry, kind: 'override' };
}

/** The tree without the value at a path; null if there is none. */
function without(tree: Tree, [key = '', ...rest]: readonly string[]): Tree | null {
  if (!Object.hasOwn(tree, key)) return null;
  const others = Object.entries(tree).filter(([name]) => name !== key);
  if (rest.length === 0) return Object.fromEntries(others);
  const value = tree[key];
  const inner = isTree(value) ? without(value, rest) : null;
  return inner === null ? null : Object.fromEntries([...others, [key, inner]]);
}

/**
 * The whole configuration. `readGroup` gives the file of a group's option, or null: the choice is then listed as not found, and its values are
 * missing. Overrides with a dotted path set values or take them away. Those that name a group of the list choose another option of it, and
 * those that name any other group with a file add it.
 */
export function compose(
  primary: Tree,
  readGroup: (group: string, option: string) => GroupFile | null,
  overrides: readonly Override[],
): Composed {
  const errors: string[] = [];
  const choices: (GroupChoice & { found: boolean })[] = [];
  const chosen: Entry[] = [];
  const asked = overrides.map((override) => ({ override, choice: choiceOf(override) }));
  const used = new Set<Override>();
  let files = 0;

  function layersOf(tree: Tree, parent: { group: string; package: string }, depth: number): Tree[] {
    const { defaults, ...own } = tree;
    const self = placed(parent.package, own);
    if (defaults === undefined || defaults === null) return [self];
    if (!Array.isArray(defaults)) errors.push(`defaults: ${quoted(defaults)} is no list.`);
    else if (depth > DEEPEST) errors.push(`defaults: files name each other more than ${DEEPEST} deep.`);
    if (!Array.isArray(defaults) || depth > DEEPEST) return [self];
    const entries = defaults.flatMap((line: unknown) => {
      const read = entriesOf(line, parent);
      if (read === null) errors.push(`defaults: ${quoted(line)} is neither a name nor "group: name".`);
      return read ?? [];
    });
    chosen.push(...entries.filter(({ kind }) => kind === 'override'));
    const layers = entries
      .filter(({ kind }) => kind !== 'override')
      .flatMap((entry) => (entry.kind === 'self' ? [self] : groupLayers(entry, depth)));
    // Without `_self_` the file's own values come last (Hydra 1.1).
    return entries.some(({ kind }) => kind === 'self') ? layers : [...layers, self];
  }

  /** The override or entry that chooses another option than the list. */
  function chooserOf(entry: Entry): Entry | undefined {
    if (entry.kind === 'file') return undefined;
    const override = asked.find(({ choice }) => choice !== null && sameGroup(entry, choice));
    if (override !== undefined) used.add(override.override);
    return override?.choice ?? chosen.findLast((each) => sameGroup(entry, each));
  }

  function groupLayers(entry: Entry, depth: number): Tree[] {
    if (++files > MOST_FILES) {
      if (files === MOST_FILES + 1)
        errors.push(`defaults: more than ${MOST_FILES} files are named, each time they are counted.`);
      return [];
    }
    const by = chooserOf(entry);
    const option = by === undefined ? entry.option : by.option;
    const choice = { entry: entry.entry, group: entry.group, package: entry.package, option };
    if (option === null) {
      choices.push({ ...choice, found: true });
      return [];
    }
    const file = readGroup(entry.group, option);
    choices.push({ ...choice, found: file !== null });
    if (file === null) return [];
    const place = file.package === undefined ? entry.package : file.package.replace(/^_global_\.?/, '');
    return layersOf(file.tree, { group: entry.group, package: place }, depth + 1);
  }

  const layers = layersOf(primary, { group: '', package: '' }, 0);
  for (const { override, choice } of asked) {
    if (used.has(override) || choice?.option === undefined || choice.option === null) continue;
    if (readGroup(choice.group, choice.option) !== null) layers.push(...groupLayers(choice, 0));
  }
  let tree = layers.reduce(merged, {});
  for (const override of overrides) {
    if (used.has(override)) continue;
    const { bare, removes } = pathOf(override);
    const next = removes ? without(tree, bare.split('.')) : merged(tree, placed(bare, override.value));
    if (next === null) errors.push(`~${bare}: there is nothing of that name to take away; leave it out.`);
    else tree = next;
  }
  return { tree, choices, errors };
}
