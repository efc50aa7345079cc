import { arithmetic } from './arithmetic.ts';
import { gsm8k } from './gsm8k.ts';
import { GYM_TASKS } from './gym/index.ts';
import { formatFollow } from './instruct/formatFollow.ts';
import { instructions } from './instruct/instructions.ts';
import { singleDigitSums } from './instruct/singleDigitSums.ts';
import { rpnArithmetic } from './rpn/rpnArithmetic.ts';
import { reverseDigits } from './reverseDigits.ts';
import { sumDigits, sumDigitsTitan } from './sumDigits.ts';
import { CUSTOM_PREFIX, type Task } from './define/types.ts';

/** All built-in tasks, in the order of the page's list. */
export const TASKS: readonly Task[] = [
  sumDigits,
  reverseDigits,
  rpnArithmetic,
  sumDigitsTitan,
  arithmetic,
  gsm8k,
  instructions,
  formatFollow,
  singleDigitSums,
  ...GYM_TASKS,
];

export const TASK_NAMES: readonly string[] = TASKS.map(({ name }) => name);

/** The name under which a run asks problems of several tasks. */
export const MIXTURE = 'mixture';

let customTasks: ReadonlyMap<string, Task> = new Map();

/** Replaces the user's own tasks: a page puts them in as it reads them from where they are kept. */
export function setCustomTasks(tasks: readonly Task[]): void {
  customTasks = new Map(tasks.map((task) => [task.name, task]));
}

/** Other names that a task is known by. */
export const ALIASES: Readonly<Record<string, string>> = { game_of_24: 'puzzle24' };

/** The task of that name or alias, or null if there is none. */
export function findTask(name: string): Task | null {
  const wanted = Object.hasOwn(ALIASES, name) ? ALIASES[name] : name;
  return TASKS.find((task) => task.name === wanted) ?? customTasks.get(name) ?? null;
}

/** The error in a task's name, or null. A task of the user's own is no error, because it may come later. */
export function taskNameError(name: string): string | null {
  if (findTask(name) !== null || name.startsWith(CUSTOM_PREFIX)) return null;
  const shown = name.length > 60 ? `${name.slice(0, 60)}…` : name;
  return `There is no task named "${shown}". Choose one of: ${TASK_NAMES.join(', ')}.`;
}

/** The task of that name or alias. Throws an error that lists the names there are. */
export function taskByName(name: string): Task {
  const task = findTask(name);
  if (task !== null) return task;
  throw new Error(taskNameError(name) ?? `The task "${name}" is not on this page. Load its file first.`);
}
