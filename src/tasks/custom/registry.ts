/** The own tasks that are at hand: a page puts them in as it reads them from where they are kept. */
import type { Task } from '../types.ts';

/** Tasks that a person made carry this before their name. */
export const CUSTOM_PREFIX = 'own:';

let atHand: ReadonlyMap<string, Task> = new Map();

/** Replaces all own tasks. */
export function setCustomTasks(tasks: readonly Task[]): void {
  atHand = new Map(tasks.map((task) => [task.name, task]));
}

/** The own task of that name, prefix included; null where there is none. */
export function findCustomTask(name: string): Task | null {
  return atHand.get(name) ?? null;
}
