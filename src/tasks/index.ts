import { GYM_TASKS } from './gym/index.ts';
import { reverseDigits } from './reverseDigits.ts';
import { sumDigits } from './sumDigits.ts';
import type { Task } from './types.ts';

/** Every built-in task, in the order of the dropdown. */
export const TASKS: readonly Task[] = [sumDigits, reverseDigits, ...GYM_TASKS];

export const TASK_NAMES: readonly string[] = TASKS.map(({ name }) => name);

/** Other names that a task is known by. */
export const ALIASES: Readonly<Record<string, string>> = { game_of_24: 'puzzle24' };

/** The task of that name or alias. Throws an error that lists the names there are. */
export function taskByName(name: string): Task {
  const wanted = Object.hasOwn(ALIASES, name) ? ALIASES[name] : name;
  const task = TASKS.find((each) => each.name === wanted);
  if (task !== undefined) return task;
  throw new Error(`There is no task named "${name}". Choose one of: ${TASK_NAMES.join(', ')}.`);
}
