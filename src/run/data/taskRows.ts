/** Rows and the tasks that ask them: which a run lacks, which it carries along, and rows brought to their task. */
import type { RunConfig } from '../settings/schema/schema.ts';
import {
  MIXTURE,
  findTask,
  taskByName,
  CUSTOM_PREFIX,
  type TaskRows,
  type CustomTask,
} from '@rl-playground/tasks/parts';

/** The reason why Train can't be pressed. */
export interface RunProblem {
  /**
   * The missing thing: the `rows` of a dataset, a `task` of the user's, a `model` or a `reward` model that was not loaded; or the model is `unfit` for the
   * task, too `small` for it, or has no tokens to read it (`unread`); or its context is too short for the prompts (`long`), or for
   * answers of that length (`room`).
   */
  readonly cause?: 'rows' | 'task' | 'model' | 'reward' | 'unfit' | 'small' | 'unread' | 'long' | 'room';
  readonly title: string;
  readonly text: string;
  /** Settings that mend it. */
  readonly settings?: Partial<RunConfig>;
}

/** Names of the tasks that settings ask, in training or evaluations. */
export function askedTasks({ task, mixture, evalMixture }: RunConfig): readonly string[] {
  const trained = task === MIXTURE ? mixture.map((part) => part.task) : [task];
  return [...new Set([...trained, ...evalMixture.map((part) => part.task)])];
}

/** The user's own tasks among those that a run asks, as far as they are here. */
export function customTasksOf(config: RunConfig): readonly CustomTask[] {
  return askedTasks(config).flatMap((name) => findTask(name)?.definition ?? []);
}

/** The tasks of a run whose problems are rows: of a dataset, or of the user's own. */
export function tasksOfRows(config: RunConfig): readonly string[] {
  return askedTasks(config).filter(
    (name) => name.startsWith(CUSTOM_PREFIX) || findTask(name)?.dataset !== undefined,
  );
}

export function tasksWithoutRows(config: RunConfig): readonly string[] {
  return tasksOfRows(config).filter((name) => {
    const task = findTask(name);
    return task === null || task.dataset?.counts() === null;
  });
}

/** The problem that keeps a run from the rows that its tasks ask, or null. */
export function rowsProblem(config: RunConfig): RunProblem | null {
  const [name] = tasksWithoutRows(config);
  if (name === undefined) return null;
  const task = findTask(name);
  if (task?.dataset === undefined)
    return {
      cause: 'task',
      title: `The task ${name} is not here`,
      text: 'A task of your own consists of rows and a grader: make it under "Your own task", import its file, or load a checkpoint that carries it. On the command line, give the rows with --data FILE or --data hub:org/name.',
    };
  return {
    cause: 'rows',
    title: `The rows of ${task.title} are missing`,
    text: `Its problems are the rows of ${task.dataset.id}, and none are loaded. Load them under the task, from the Hub or from a file (parquet, JSONL or CSV). On the command line, give them with --data hub:${task.dataset.id} or --data FILE.`,
  };
}

/** The rows that a run asks of datasets, for its checkpoints; nothing where it asks none. */
export function taskRowsOf(config: RunConfig): { taskRows?: readonly TaskRows[] } {
  const taskRows = askedTasks(config).flatMap((name) => {
    const task = taskByName(name);
    const rows = task.dataset?.rows();
    return rows ? [{ task: task.name, ...rows }] : [];
  });
  return taskRows.length === 0 ? {} : { taskRows };
}

/** Gives each task its rows, in place of those it has. @throws Error where a task asks none, or where too few can be used. */
export function provideRows(taskRows: readonly TaskRows[]): void {
  for (const { task, ...rows } of taskRows) {
    const { dataset } = taskByName(task);
    if (dataset === undefined) throw new Error(`${task} uses no rows, so none can be given to it.`);
    dataset.provide(rows);
  }
}
