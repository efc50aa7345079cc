/** Reads the `datasets` of a configuration for RL for Real: reasoning-gym's tasks, each with a weight and settings. */
import { quoted } from '@rl-playground/base/valueSchemas';
import { sameValue, type RunConfig, MOST_PARTS, closestName } from '@rl-playground/run/settings';
import { isTree, type Tree } from '@rl-playground/run/settings/files';
import {
  fieldError,
  findTask,
  MIXTURE,
  TASK_NAMES,
  TASKS,
  FAMILY_MODELS,
  GYM_MODEL,
  type Task,
  type TaskConfig,
} from '@rl-playground/tasks/parts';
import { KeyReader, type Account } from './reader.ts';
import '@rl-playground/tasks/words';

export type Part = RunConfig['mixture'][number];

/** The settings of a task. Names that the task does not have are ignored, values that it does not take are refused. */
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

/** Settings that are added to each task that has them. */
export type OfEach = Readonly<Record<string, number | string>>;

/** The dataset at `path`; null for one without a weight or a task here, or with an error. */
function readDataset(
  name: string,
  item: unknown,
  ofEach: OfEach,
  account: Account,
  path: string,
): Part | null {
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
  const known = Object.entries(ofEach).filter(([field]) => field in task.fields);
  return { task: task.name, weight, config: { ...settings, ...Object.fromEntries(known) } };
}

/** The bundled model that knows a task, or else one that knows others of its family; null if there is neither. */
function modelOf(name: string): string | null {
  const task = findTask(name);
  const relative = TASKS.find(
    ({ family, source, starter }) => starter !== null && family === task?.family && source === task.source,
  );
  return task?.starter?.model ?? relative?.starter?.model ?? null;
}

const GYM_MODELS: ReadonlySet<string> = new Set([...FAMILY_MODELS, GYM_MODEL]);

/** The bundled model that suits most of the weight, or the one for several families; null if none suits any part. */
export function bundledModelFor(parts: readonly Pick<Part, 'task' | 'weight'>[]): string | null {
  const weights = new Map<string, number>();
  for (const { task, weight } of parts) {
    const model = modelOf(task);
    if (model !== null) weights.set(model, (weights.get(model) ?? 0) + weight);
  }
  const models = [...weights.keys()];
  if (models.length > 1 && models.every((model) => GYM_MODELS.has(model))) return GYM_MODEL;
  return [...weights].sort(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}

/** The positions of every bundled model. */
const POSITIONS = 512;
/** The number of training problems at which a run looks for its longest prompt. */
const LOOKED_AT = 256;
/** The start token and the line feed around a question. */
const AROUND = 2;

/** The tokens that prompts of these tasks leave to an answer of a bundled model, which has at most one token for each character. */
export function bundledRoom(parts: readonly Part[], seed: number): number {
  const longest = parts.flatMap((part) => {
    const task = findTask(part.task);
    if (task === null) return [];
    const config = { ...task.defaults, ...part.config };
    try {
      return Array.from(
        { length: LOOKED_AT },
        (_, index) => [...task.generate(seed, 'train', index, config).compact].length,
      );
    } catch {
      // Settings that leave no problem, and missing rows, are reported when the run begins.
      return [];
    }
  });
  return POSITIONS - Math.max(0, ...longest) - AROUND;
}

function readParts(datasets: Tree, ofEach: OfEach, account: Account, key: string): Part[] {
  const parts = Object.entries(datasets).flatMap(
    ([name, item]) => readDataset(name, item, ofEach, account, `${key}.${name}`) ?? [],
  );
  if (parts.length > MOST_PARTS)
    account.refuse(key, `${parts.length} are too many; name at most ${MOST_PARTS}.`);
  return parts;
}

/** Puts the tasks of `eval_datasets` into the account, unless they are those of training. */
export function readEvalDatasets(
  datasets: Tree,
  ofEach: OfEach,
  account: Account,
  trained: readonly Part[],
): void {
  const parts = readParts(datasets, ofEach, account, 'eval_datasets');
  if (parts.length === 0)
    account.replaced.push(
      'Evaluation tasks: those of training, because none of eval_datasets is a task here.',
    );
  else if (!sameValue(parts, trained)) account.set('evalMixture', parts, 'eval_datasets');
}

/** Puts the tasks of `datasets` into the account, and returns them. */
export function readDatasets(datasets: Tree, ofEach: OfEach, account: Account): readonly Part[] {
  const parts = readParts(datasets, ofEach, account, 'datasets');
  const [first] = parts;
  if (first === undefined) {
    const names = Object.keys(datasets);
    const meant = closestName(names[0] ?? '', TASK_NAMES);
    const perhaps = meant === null ? '' : ` (${meant} may be meant)`;
    if (account.errors.length === 0)
      account.refuse(
        'datasets',
        `${quoted(names)} name no task that there is here${perhaps}; name at least one.`,
      );
    return [];
  }
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
