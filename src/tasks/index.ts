import { reverseDigits } from './reverseDigits.ts';
import { sumDigits } from './sumDigits.ts';
import { TASK_NAMES } from './types.ts';
import type { Task, TaskName } from './types.ts';

export const TASKS: Readonly<Record<TaskName, Task>> = {
  sum_digits: sumDigits,
  reverse_digits: reverseDigits,
};

/** The task of that name. Throws an error that lists the names there are. */
export function taskByName(name: string): Task {
  const known = TASK_NAMES.find((each) => each === name);
  if (known === undefined) {
    throw new Error(`There is no task named "${name}". Choose one of: ${TASK_NAMES.join(', ')}.`);
  }
  return TASKS[known];
}
