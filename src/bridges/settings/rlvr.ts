/** Reads configurations of simplexity's RLVR system: a Hydra configuration, or one of its training files alone. */
import { quoted } from '@rl-playground/base/valueSchemas';
import { isTree, type Tree } from '@rl-playground/run/settings/files';
import { keyOfName, type RunConfig } from '@rl-playground/run/settings';
import { compose, type GroupChoice, type GroupFile, type Override } from './hydra.ts';
import { Interpolation, TooMuchText, Unresolved, valueAt } from './interpolate.ts';
import { ignoreLeaves, KeyReader, type Account } from './reader.ts';
import { rlvrReason } from './reasons.ts';
import {
  knownGroup,
  MODEL_SECTION,
  presetOfTraining,
  readProcess,
  readTraining,
  RLVR_KEYS,
  RLVR_MARKS,
} from './rlvrSections.ts';
import { readRlvrTracking } from './tracking.ts';

export const RLVR_TASK = 'rpn_arithmetic';

/** The package of the training settings in RLVR's own configurations. */
const USUAL_HOME = 'rlvr_training';
const PACKAGES: readonly string[] = [USUAL_HOME, 'training'];
const PROCESS_PACKAGES: readonly string[] = ['training_data_generator', 'generative_process'];
const ALL_PACKAGES = [...PACKAGES, ...PROCESS_PACKAGES];

/** The groups whose options are known by name. */
const GROUPS: readonly string[] = ['training', 'generative_process'];

const hasMark = (tree: unknown): boolean =>
  isTree(tree) && RLVR_MARKS.some((key) => Object.hasOwn(tree, key));

export function isRlvr(tree: Tree): boolean {
  return Object.hasOwn(tree, 'defaults') || hasMark(tree) || ALL_PACKAGES.some((name) => isTree(tree[name]));
}

/** True if an override of a command line has a meaning for this system. */
export function isRlvrKey(path: string): boolean {
  const [head = '', ...rest] = path.replace(/^(\+\+?|~)/, '').split('.');
  if (rest.length > 0) return ALL_PACKAGES.includes(head);
  return RLVR_KEYS.includes(head) || head.includes('@') || GROUPS.includes(head);
}

/**
 * The tree with every interpolation resolved. Values that point to nothing are named and left out; interpolations that grow beyond all bounds
 * leave nothing.
 */
function resolvedTree(tree: Tree, account: Account, now: Date): Tree {
  const interpolation = new Interpolation(tree, now);
  function resolved(value: unknown, path: readonly string[]): unknown {
    if (isTree(value)) {
      const entries = Object.entries(value).map(
        ([key, each]) => [key, resolved(each, [...path, key])] as const,
      );
      return Object.fromEntries(entries.filter(([, each]) => each !== undefined));
    }
    try {
      return interpolation.resolve(value, path);
    } catch (error) {
      if (!(error instanceof Unresolved)) throw error;
      account.ignore(path.join('.'), value, error.message);
      return undefined;
    }
  }
  try {
    const whole = resolved(tree, []);
    return isTree(whole) ? whole : {};
  } catch (error) {
    if (!(error instanceof TooMuchText)) throw error;
    account.refuse(error.path, error.message);
    return {};
  }
}

/** The package into which a group was put, or else the first of the usual ones that the tree has. */
function packageOf(
  tree: Tree,
  choices: readonly GroupChoice[],
  group: string,
  usual: readonly string[],
): string | null {
  const chosen = choices.find((choice) => choice.group === group && choice.option !== null)?.package;
  return chosen ?? usual.find((name) => Object.hasOwn(tree, name)) ?? null;
}

export interface ImportOptions {
  /** Reads the file of a group's option, such as `training` and `rlvr_small`. */
  readonly readGroup?: (group: string, option: string) => GroupFile | null;
  /** Overrides of a command line, such as `rlvr_training.learning_rate` and a value. */
  readonly overrides?: readonly Override[];
  /** The model that the run takes whatever the file says. */
  readonly model?: string;
  /** The moment of `${now:…}`. */
  readonly now?: Date;
}

type RlvrSource = ImportOptions & { readonly tree: Tree };

/** The file of a group's option, or else its values as they are known here. */
function fileOf(group: string, option: string, readGroup: RlvrSource['readGroup']): GroupFile | null {
  const known = knownGroup(group, option);
  return readGroup?.(group, option) ?? (known === null ? null : { tree: known });
}

/** The preset that a configuration's training group names, or else `rlvr-small`. */
export function rlvrPresetOf({ tree, readGroup, overrides = [] }: RlvrSource) {
  const { choices } = compose(tree, (group, option) => fileOf(group, option, readGroup), overrides);
  const option = choices.find(({ group }) => group === 'training')?.option;
  return (option && presetOfTraining(option)) || 'rlvr-small';
}

/** True if an override chooses a group's option and sets no value. */
function namesGroup({ path }: Override): boolean {
  const name = path.replace(/^(\+\+?|~)/, '');
  return GROUPS.includes(name) || name.includes('@');
}

/** Moves overrides to the package of the training settings, which `training.x` and a bare key mean. */
function inPackage(overrides: readonly Override[], tree: Tree, home: string): Override[] {
  return overrides.map(({ path: given, value }) => {
    const [, sign = '', path = given] = /^(\+\+?|~)?(.*)$/s.exec(given) ?? [];
    const [head = '', ...rest] = path.split('.');
    if (rest.length > 0 && PACKAGES.includes(head) && !isTree(tree[head]))
      return { path: `${sign}${home === '' ? rest.join('.') : `${home}.${rest.join('.')}`}`, value };
    const bare = rest.length === 0 && RLVR_KEYS.includes(head) && !Object.hasOwn(tree, head);
    return { path: bare && home !== '' ? `${sign}${home}.${path}` : given, value };
  });
}

/** The mapping at a dotted path, or an empty one. Anything else is refused. */
function sectionAt(tree: Tree, path: string, account: Account): Tree {
  const section = path === '' ? tree : valueAt(tree, path.split('.'));
  if (isTree(section)) return section;
  if (section !== undefined && section !== null)
    account.refuse(path, `${quoted(section)} is no mapping of names to values.`);
  return {};
}

/** Reads a configuration over `base`, into `account`. Returns the keys beside its sections that are left over and are settings here. */
export function readRlvr(
  source: RlvrSource,
  base: RunConfig,
  account: Account,
): readonly (readonly [string, unknown])[] {
  const { readGroup, overrides = [] } = source;
  const read = (group: string, option: string) => fileOf(group, option, readGroup);
  const bare = compose(source.tree, read, overrides.filter(namesGroup));
  const home =
    packageOf(bare.tree, bare.choices, 'training', PACKAGES) ?? (hasMark(bare.tree) ? '' : USUAL_HOME);
  const { tree: raw, choices, errors } = compose(source.tree, read, inPackage(overrides, bare.tree, home));
  account.errors.push(...errors);
  for (const { group, option } of choices)
    if (option !== null && knownGroup(group, option) !== null && !readGroup?.(group, option))
      account.replaced.push(
        `The file of ${group} ${option} was not given; its values as they are known here are used.`,
      );
  const tree = resolvedTree(raw, account, source.now ?? new Date());

  const section = sectionAt(tree, home, account);
  const training = new KeyReader(section, home === '' ? '' : `${home}.`, account);
  const root = home === '' ? training : new KeyReader(tree, '', account);
  const logging = choices.find(({ group }) => group === 'logging')?.option ?? null;
  const tracked = readRlvrTracking(root, logging);
  for (const { entry, group, option, found } of choices) {
    if (found || option === null || group === MODEL_SECTION) continue;
    if (group === 'logging' && tracked) continue;
    const reason = rlvrReason(group.split('/')[0] ?? '');
    const unknown = 'its file was not given, and the name is not known here';
    account.ignore(`defaults.${entry}`, option, reason ?? unknown);
  }
  const seeds = { min: 0, max: 4_294_967_295, whole: true } as const;
  const seed = root.number('seed', seeds);
  const inner = home === '' ? seed : training.number('seed', seeds);
  if (seed !== undefined && inner !== undefined && seed !== inner)
    training.refuse('seed', `${inner} is not the seed of the whole run, ${seed}; write one of them.`);
  const either = seed ?? inner;
  if (either !== undefined) account.set('seed', either, 'seed');
  const ofTask = readTraining(training, base);

  const processPackage = packageOf(tree, choices, 'generative_process', PROCESS_PACKAGES);
  const process = processPackage === null ? {} : sectionAt(tree, processPackage, account);
  const changes = { ...ofTask, ...readProcess(process, `${processPackage}.`, account) };
  if (Object.keys(changes).length > 0)
    account.set('taskConfig', { ...base.taskConfig, ...changes }, processPackage ?? home);

  if (home !== '')
    for (const key of training.unread()) training.ignore(key, account.notKnown(key, RLVR_KEYS));
  const model = choices.find(({ group }) => group === MODEL_SECTION)?.option;
  if (model) account.replaced.push(`Model: ${base.model} instead of ${model}.`);
  const rest: (readonly [string, unknown])[] = [];
  for (const key of root.unread()) {
    if (key === home.split('.')[0] || key === processPackage || key === 'defaults') continue;
    const reason = rlvrReason(key);
    if (reason === undefined && keyOfName(key) !== null) rest.push([key, tree[key]]);
    else ignoreLeaves(account, key, tree[key], reason ?? account.notKnown(key, RLVR_KEYS));
  }
  return rest;
}
