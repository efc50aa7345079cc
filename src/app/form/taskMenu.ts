/** The task dropdown: families, and what stands under it. */
import { MIXTURE, TASKS } from '../../tasks/index.ts';
import { TASK_FAMILIES, type Task, type TaskConfig, type TaskFamily } from '../../tasks/types.ts';
import { count } from '../format/format.ts';

interface MenuGroup {
  readonly group: string;
  readonly items: readonly { readonly value: string; readonly label: string }[];
}

/** A space below this is said in the form: a model may learn it by heart. */
const SMALL_SPACE = 2000;

function label({ title, family, starter }: Task): string {
  return starter?.learns === true || family === 'own' ? title : `${title} (larger model)`;
}

/** Every task by family, then the mixture. */
export function taskMenu(tasks: readonly Task[] = TASKS): MenuGroup[] {
  const families = (Object.keys(TASK_FAMILIES) as TaskFamily[]).map((family) => ({
    group: TASK_FAMILIES[family],
    items: tasks
      .filter((task) => task.family === family)
      .map((task) => ({ value: task.name, label: label(task) })),
  }));
  const several = { group: 'Several at once', items: [{ value: MIXTURE, label: 'A mixture of tasks' }] };
  return [...families.filter(({ items }) => items.length > 0), several];
}

/** What a first run with the bundled models gives. */
export function expectation({ starter, family }: Task): string {
  if (family === 'own')
    return 'What the bundled models make of it depends on your rows; text beyond digits and simple signs needs a larger one.';
  if (starter === null)
    return 'The bundled models are too small for this task. Load a larger one to see it learned.';
  const { learns, model, expect } = starter;
  return learns
    ? expect
    : `The bundled model ${model} knows its form, but needs to be larger to learn it. ${expect}`.trim();
}

/** Says so where the settings leave few different problems; null elsewhere. */
export function smallSpace(task: Task, config: TaskConfig): string | null {
  const space = task.space(config);
  if (space === null || space >= SMALL_SPACE) return null;
  return `Only ${count(space)} different problems exist with these settings, so a model can learn the answers by heart. One in five is held out all the same.`;
}
