/** A task in the form: its place in the menu, what to expect of it, its settings and levels. */
import { sameValue, defaultConfig, PRESETS, type RunConfig } from '@rl-playground/run/settings';
import {
  MIXTURE,
  TASKS,
  type TaskField,
  TASK_FAMILIES,
  type Task,
  type TaskConfig,
  type TaskFamily,
  type TaskValue,
} from '@rl-playground/tasks/parts';
import { count } from '../../ui/text/format.ts';

interface MenuGroup {
  readonly group: string;
  readonly items: { readonly value: string; readonly label: string }[];
}

/** The form warns of a smaller number of problems, because a model may learn them by heart. */
const SMALL_SPACE = 2000;

/** True if no bundled model learns the task. */
function needsLargerModel({ family, starter }: Task): boolean {
  return starter?.learns !== true && family !== 'own';
}

/** The kind of model that a task needs beside the bundled ones, in words; null where they are enough, or where another is `loaded`. */
export function neededModel(task: Task, loaded: boolean): string | null {
  if (loaded || !needsLargerModel(task)) return null;
  return task.family === 'instruct' ? 'instruct model' : 'larger model';
}

/** The words of a button that leads to such models. */
export const chooseModel = (needed: string): string =>
  `Choose a${needed.startsWith('i') ? 'n' : ''} ${needed}…`;

function label(task: Task, loaded: boolean): string {
  const needed = neededModel(task, loaded);
  return needed === null ? task.title : `${task.title} (${needed})`;
}

/** The tasks by family, then the mixture. `loaded`: the model is none of the bundled ones. */
export function taskMenu(customTasks: readonly Task[], loaded: boolean): MenuGroup[] {
  const tasks = [...TASKS, ...customTasks];
  const families = (Object.keys(TASK_FAMILIES) as TaskFamily[]).map((family) => ({
    group: TASK_FAMILIES[family],
    items: tasks
      .filter((task) => task.family === family)
      .map((task) => ({ value: task.name, label: label(task, loaded) })),
  }));
  const several = { group: 'Several at once', items: [{ value: MIXTURE, label: 'A mixture of tasks' }] };
  return [...families.filter(({ items }) => items.length > 0), several];
}

/** The expected result of a run with this preset, or of a first run with the bundled model. `loaded` names a model that came from elsewhere. */
export function expectation(
  { name, starter, family }: Task,
  { preset, model: chosen }: Pick<RunConfig, 'preset' | 'model'>,
  loaded: string | null = null,
): string {
  const others = PRESETS[preset].others?.(name);
  if (others !== undefined) return others;
  if (loaded !== null)
    return `Nobody has measured this task with ${loaded}. The first evaluation shows where it begins.`;
  const seen = PRESETS[preset].expect?.(name);
  if (seen !== undefined) return seen;
  if (family === 'own')
    return 'How well the bundled models do depends on your rows; text beyond digits and simple signs needs a larger model.';
  if (starter === null)
    return 'The bundled models are too small for this task. Load a larger one to see it learned.';
  const { learns, model, expect } = starter;
  const recommended = defaultConfig(name);
  const usual =
    chosen === recommended.model &&
    sameValue({ ...defaultConfig(name, preset), preset: recommended.preset }, recommended);
  return learns
    ? `${usual ? '' : `With ${recommended.model} and the recommended settings: `}${expect}`
    : `The bundled model ${model} knows its format, but is too small to learn it. ${expect}`.trim();
}

/** A warning where the settings leave few different problems. */
export function smallSpace(task: Task, config: TaskConfig): string | null {
  const space = task.space(config);
  if (space === null || space >= SMALL_SPACE) return null;
  return `Only ${count(space)} different problems exist with these settings, so a model can learn the answers by heart. One in five is held out all the same.`;
}

/** The text of a task's value, which `taskValueFromText` reads. */
export function taskText(value: TaskValue | undefined): string {
  return Array.isArray(value) ? value.join(' ') : String(value);
}

/** Reads a task's value. A text of the wrong kind gives a value that `fieldError` refuses. */
export function taskValueFromText(field: TaskField, text: string): TaskValue {
  const trimmed = text.trim();
  switch (field.kind) {
    case 'number':
      return trimmed === '' ? NaN : Number(trimmed.replace(',', '.'));
    case 'weights':
      return trimmed.split(/\s+/).map(Number);
    case 'subset':
      return trimmed.split(/[\s,]+/);
    case 'flag':
      return trimmed === 'true' ? true : trimmed === 'false' ? false : trimmed;
    case 'choice':
      return trimmed;
  }
}

export function withoutDefaults(task: Task, config: TaskConfig): TaskConfig {
  const kept = Object.entries(config).filter(([key, value]) => !sameValue(value, task.defaults[key]));
  return Object.fromEntries(kept);
}

/** The index of the level with exactly these settings, or -1. */
export function levelOf(task: Task, changes: TaskConfig): number {
  return task.levels.findIndex((level) =>
    sameValue(sorted(withoutDefaults(task, level)), sorted(withoutDefaults(task, changes))),
  );
}

function sorted(config: TaskConfig): [string, unknown][] {
  return Object.entries(config).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The bundled model that all of these tasks begin with, if there is one. */
export function sharedStarter(tasks: readonly (Task | null)[]): string | null {
  const models = new Set(tasks.map((task) => task?.starter?.model ?? null));
  const [model = null] = models;
  return models.size === 1 ? model : null;
}
