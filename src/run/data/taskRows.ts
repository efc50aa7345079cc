/** Rows and the tasks that ask them: which a run lacks, which it carries along, and rows brought to their task. */
import { taskMix } from '../../rl/loop/taskMix.ts';
import type { RunConfig } from '../../config/schema.ts';
import { MIXTURE, findTask, taskByName } from '../../tasks/index.ts';
import { CUSTOM_PREFIX, type TaskRows } from '../../tasks/types.ts';

/** Names of the tasks that settings ask. */
export function askedTasks({ task, mixture }: RunConfig): readonly string[] {
  return task === MIXTURE ? [...new Set(mixture.map((part) => part.task))] : [task];
}

/** Those of them whose problems are rows: of a dataset, or of the user's own. */
export function tasksOfRows(config: RunConfig): readonly string[] {
  return askedTasks(config).filter(
    (name) => name.startsWith(CUSTOM_PREFIX) || findTask(name)?.dataset !== undefined,
  );
}

/** Those of them that have no rows yet. */
export function tasksWithoutRows(config: RunConfig): readonly string[] {
  return tasksOfRows(config).filter((name) => {
    const task = findTask(name);
    return task === null || task.dataset?.counts() === null;
  });
}

/** The rows that a run asks of datasets, for its checkpoints; nothing where it asks none. */
export function taskRowsOf(config: RunConfig): { taskRows?: readonly TaskRows[] } {
  const taskRows = taskMix(config).flatMap(({ task }) => {
    const rows = task.dataset?.rows();
    return rows ? [{ task: task.name, ...rows }] : [];
  });
  return taskRows.length === 0 ? {} : { taskRows };
}

/** Gives each task its rows, in place of those it has. @throws Error where a task asks none, or where too few can be used. */
export function provideRows(taskRows: readonly TaskRows[]): void {
  for (const { task, ...rows } of taskRows) {
    const { dataset } = taskByName(task);
    if (dataset === undefined) throw new Error(`${task} asks no rows, so none can be given to it.`);
    dataset.provide(rows);
  }
}
