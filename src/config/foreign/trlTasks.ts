/** The `datasets` of a configuration for RL for Real: reasoning-gym's tasks, each with a weight and settings. */
import { quoted } from '../fields.ts';
import { isTree, type Tree } from '../files/parse.ts';
import { fieldError } from '../../tasks/fields.ts';
import { findTask, MIXTURE, TASK_NAMES, TASKS } from '../../tasks/index.ts';
import type { Task, TaskConfig } from '../../tasks/types.ts';
import type { RunConfig } from '../schema.ts';
import { MOST_PARTS } from '../settings/task.ts';
import { closestName } from '../suggest.ts';
import { KeyReader, type Account } from './reader.ts';

export type Part = RunConfig['mixture'][number];

/** Settings of a task; names that the task does not have are told apart from values that it refuses. */
function taskSettings(task: Task, given: Tree, path: string, account: Account): RunConfig['taskConfig'] {
  const settings: [string, TaskConfig[string]][] = [];
  for (const [key, value] of Object.entries(given)) {
    const field = Object.hasOwn(task.fields, key) ? task.fields[key] : undefined;
    const where = `${path}.${key}`;
    if (field === undefined) {
      account.ignore(where, value, `the task ${task.name} has no such setting`);
      continue;
    }
    const error = fieldError(field, value);
    if (error === null) settings.push([key, value as TaskConfig[string]]);
    else account.refuse(where, error);
  }
  const config = Object.fromEntries(settings);
  const between = task.checkConfig({ ...task.defaults, ...config });
  if (between !== null) account.refuse(path, between);
  return config as RunConfig['taskConfig'];
}

/** One dataset; null where it has no weight, no task here, or an error. */
function readDataset(name: string, item: unknown, formatWeight: number, account: Account): Part | null {
  const path = `datasets.${name}`;
  if (item !== null && !isTree(item)) {
    account.refuse(path, `${quoted(item)} is no mapping; write weight and config below it.`);
    return null;
  }
  const reader = new KeyReader(item ?? {}, `${path}.`, account);
  const weight = reader.number('weight', { min: 0, max: 1e9 }) ?? 1;
  const given = reader.tree('config') ?? {};
  for (const key of reader.unread()) reader.ignore(key, 'a dataset has a weight and a config alone');
  const task = findTask(name);
  if (task === null) {
    account.ignore(path, item, account.notKnown(name, TASK_NAMES, 'there is no such task here'));
    return null;
  }
  if (task.name !== name)
    account.replaced.push(`Task: ${task.name} for ${name}, which is another name of it.`);
  const settings = taskSettings(task, given, `${path}.config`, account);
  if (weight === 0) {
    account.ignore(path, item, 'its weight is 0');
    return null;
  }
  const config = 'format_weight' in task.fields ? { ...settings, format_weight: formatWeight } : settings;
  return { task: task.name, weight, config };
}

/** The bundled model that knows a task, or else one that knows others of its family; null where there is none. */
function modelOf(name: string): string | null {
  const task = findTask(name);
  const relative = TASKS.find(
    ({ family, source, starter }) => starter !== null && family === task?.family && source === task.source,
  );
  return task?.starter?.model ?? relative?.starter?.model ?? null;
}

/** The models of one family, and the one that was shown the tasks of all three. */
const FAMILIES: ReadonlySet<string> = new Set(['starter-arithmetic', 'starter-words', 'starter-logic']);
const ALL_FAMILIES = 'starter-gym';

/** The bundled model that suits most of the weight, or all of it, where the parts are of several families; null where none suits any. */
export function bundledModelFor(parts: readonly Pick<Part, 'task' | 'weight'>[]): string | null {
  const weights = new Map<string, number>();
  for (const { task, weight } of parts) {
    const model = modelOf(task);
    if (model !== null) weights.set(model, (weights.get(model) ?? 0) + weight);
  }
  const models = [...weights.keys()];
  if (models.length > 1 && models.every((model) => FAMILIES.has(model) || model === ALL_FAMILIES))
    return ALL_FAMILIES;
  return [...weights].sort(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}

/** Unknown names that are compared with those there are. */
const MOST_COMPARED = 20;

/** The task that one of the names may mean. */
function nearest(datasets: Tree): string {
  const meant = Object.keys(datasets)
    .slice(0, MOST_COMPARED)
    .flatMap((name) => closestName(name, TASK_NAMES) ?? []);
  return meant[0] === undefined ? '' : ` (${meant[0]} may be meant)`;
}

/** Puts the tasks of `datasets` into the account; false where there is nothing left to ask. */
export function readDatasets(datasets: Tree, formatWeight: number, account: Account): readonly Part[] {
  const parts = Object.entries(datasets).flatMap(([name, item]) => {
    const part = readDataset(name, item, formatWeight, account);
    return part === null ? [] : [part];
  });
  const [first] = parts;
  if (first === undefined) {
    if (account.errors.length === 0)
      account.refuse(
        'datasets',
        `${quoted(Object.keys(datasets))} name no task that there is here${nearest(datasets)}; name at least one.`,
      );
    return [];
  }
  if (parts.length > MOST_PARTS)
    account.refuse('datasets', `${parts.length} are too many; name at most ${MOST_PARTS}.`);
  if (parts.length === 1) {
    account.set('task', first.task, 'datasets');
    account.set('taskConfig', first.config, `datasets.${first.task}.config`);
    account.set('mixture', [], null);
  } else {
    account.set('task', MIXTURE, 'datasets');
    account.set('taskConfig', {}, null);
    account.set('mixture', [...parts], 'datasets');
  }
  return parts;
}
