/** A task's own settings in the form: what differs from its defaults, and its levels of difficulty. */
import { sameValue } from '../../config/fields.ts';
import type { Task, TaskConfig } from '../../tasks/types.ts';

/** The settings that differ from the task's defaults. */
export function withoutDefaults(task: Task, config: TaskConfig): TaskConfig {
  const kept = Object.entries(config).filter(([key, value]) => !sameValue(value, task.defaults[key]));
  return Object.fromEntries(kept);
}

/** Index of the level that the settings are exactly; -1 where they are none. */
export function levelOf(task: Task, changes: TaskConfig): number {
  return task.levels.findIndex((level) =>
    sameValue(sorted(withoutDefaults(task, level)), sorted(withoutDefaults(task, changes))),
  );
}

function sorted(config: TaskConfig): [string, unknown][] {
  return Object.entries(config).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The bundled model that all of these tasks begin with; null where there is no such one. */
export function sharedStarter(tasks: readonly (Task | null)[]): string | null {
  const models = new Set(tasks.map((task) => task?.starter?.model ?? null));
  const [model = null] = models;
  return models.size === 1 ? model : null;
}
