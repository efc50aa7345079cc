/** The user's own tasks. They are kept in the browser (IndexedDB), offered in the form, written to files and read from them. */
import * as z from 'zod';
import { browserStore } from '@rl-playground/base/browserStore';
import { parsedJson } from '@rl-playground/base/json';
import {
  createSandbox,
  scoreProgram,
  type Sandbox,
  type ScoreProgram,
  customTaskSchema,
  type CustomTask,
  setCustomTasks,
  CUSTOM_PREFIX,
  type Task,
} from '@rl-playground/tasks/parts';
import { withTask, withValue } from '../form/formChanges.ts';
import { reportError } from '../../ui/open/openStore.ts';
import { showCustomTasks, useForm, takeForm } from '../form/formStore.ts';

const FILE_KIND = 'rl-playground own tasks';
const fileSchema = z.object({
  kind: z.literal(FILE_KIND),
  version: z.literal(1),
  tasks: z.array(customTaskSchema),
});

/** The replacement for a task that was removed. */
const FALLBACK = 'sum_digits';

const kept = browserStore('rl-playground', 'own-tasks');

let sandbox: Sandbox | null = null;
/** Scores a run's answers in a sandbox that does nothing else. */
const runProgram: ScoreProgram = (source, items) =>
  scoreProgram((sandbox ??= createSandbox()))(source, items);

/**
 * Makes a task, with code that is fetched only for own tasks, because it is half as large as the engine. Rejects where the definition is not
 * sound.
 */
async function taskOf(definition: CustomTask): Promise<Task> {
  const { customTask } = await import('@rl-playground/tasks/custom');
  return customTask(definition, runProgram);
}

/** The definition of a task by its name without the prefix. */
export function definitionOf(name: string): CustomTask | null {
  const task = useForm.getState().customTasks.find((each) => each.name === `${CUSTOM_PREFIX}${name}`);
  return task?.definition ?? null;
}

function offer(tasks: readonly Task[]): void {
  const sorted = tasks.toSorted((a, b) => a.title.localeCompare(b.title, 'en'));
  setCustomTasks(sorted);
  showCustomTasks(sorted);
}

/** Replaces a task in the form, or removes it where `after` is null. */
function replaceInForm(before: string, after: string | null): void {
  const { form } = useForm.getState();
  // A task that has gone, or goes by another name, is no choice of the person's.
  if (form.task === before) takeForm((now) => withTask(now, after ?? FALLBACK));
  for (const key of ['mixture', 'evalMixture'] as const) {
    if (form[key].every((part) => part.task !== before)) continue;
    const parts = form[key].flatMap((part) =>
      part.task !== before ? [part] : after === null ? [] : [{ ...part, task: after }],
    );
    takeForm((now) => withValue(now, key, parts));
  }
}

async function storage(what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    reportError(
      `The task could not be ${what} in this browser`,
      error,
      'It can be used until the page is closed. Export it to a file to keep it; private windows and full disks do not store it.',
    );
  }
}

/** Reads the tasks that this browser keeps. A notice names those that can't be used, which stay in storage. */
export async function loadCustomTasks(): Promise<void> {
  const tasks: Task[] = [];
  await storage('read', async () => {
    for (const value of await kept.values()) {
      try {
        tasks.push(await taskOf(customTaskSchema.parse(value)));
      } catch (error) {
        reportError('One of your own tasks can’t be used', error, 'It stays in the storage of this browser.');
      }
    }
  });
  if (tasks.length > 0) offer(tasks);
}

/** Keeps a task, in place of the one named `before`. Throws where the definition is not sound, and changes nothing then. */
export async function saveCustomTask(definition: CustomTask, before: string | null): Promise<void> {
  const task = await taskOf(definition);
  const replaced = before === null ? task.name : `${CUSTOM_PREFIX}${before}`;
  const others = useForm
    .getState()
    .customTasks.filter((each) => each.name !== replaced && each.name !== task.name);
  offer([...others, task]);
  if (replaced !== task.name) replaceInForm(replaced, task.name);
  await storage('kept', async () => {
    await kept.set(definition.name, definition);
    if (before !== null && before !== definition.name) await kept.remove(before);
  });
}

export async function removeCustomTask(name: string): Promise<void> {
  const full = `${CUSTOM_PREFIX}${name}`;
  replaceInForm(full, null);
  offer(useForm.getState().customTasks.filter((each) => each.name !== full));
  await storage('removed', () => kept.remove(name));
}

/** `name`, with a number if it is taken. */
export function freeName(name: string): string {
  const taken = new Set(useForm.getState().customTasks.map(({ title }) => title));
  let free = name;
  for (let n = 2; taken.has(free); n++) free = `${name.slice(0, 43)} ${n}`;
  return free;
}

export function customTasksFile(
  tasks: readonly CustomTask[] = useForm.getState().customTasks.flatMap(({ definition }) => definition ?? []),
): { filename: string; blob: Blob } {
  const text = JSON.stringify({ kind: FILE_KIND, version: 1, tasks }, null, 1);
  return { filename: 'own-tasks.json', blob: new Blob([text], { type: 'application/json' }) };
}

/** Adds the tasks of a file and returns their names, which are new where they were taken. Throws where the file can't be read. */
export async function importCustomTasks(text: string): Promise<string[]> {
  const json = parsedJson(text);
  if ('error' in json)
    throw new Error(`The file is not JSON (${json.error}). Choose a file that Export wrote.`);
  const parsed = fileSchema.safeParse(json.value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(
      `The file has no tasks of your own (${issue?.path.join('.')}: ${issue?.message}). Choose a file that Export wrote.`,
    );
  }
  const names: string[] = [];
  for (const definition of parsed.data.tasks) {
    const name = freeName(definition.name);
    await saveCustomTask({ ...definition, name }, null);
    names.push(name);
  }
  return names;
}

/** Adds the tasks of a checkpoint under their names, which its settings use. Another task of the same name gets a new one. */
export async function adoptCustomTasks(definitions: readonly CustomTask[]): Promise<void> {
  for (const definition of definitions) {
    const present = definitionOf(definition.name);
    if (present !== null && JSON.stringify(present) === JSON.stringify(definition)) continue;
    if (present !== null) await saveCustomTask({ ...present, name: freeName(present.name) }, null);
    await saveCustomTask(definition, null);
  }
}
