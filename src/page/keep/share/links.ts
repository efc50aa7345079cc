/** Links to the settings of a run. They carry the user's own tasks, which the page offers to add when it is opened by such a link. */
import { LONGEST_LINKED } from '@rl-playground/base/linkedJson';
import { plural } from '@rl-playground/base/text';
import { type RunConfig, linkQuery } from '@rl-playground/run/settings';
import { customTasksOf } from '@rl-playground/run/data';
import { type CustomTask, linkedText, tasksOfLinkedText } from '@rl-playground/tasks/parts';
import { adoptCustomTasks, customTasksFile } from '../../run/tasks/library.ts';
import { saveFile } from '../../ui/files/saveDownload.ts';
import { classroomQuery, type Classroom } from '../../run/address/classroom.ts';
import { useForm } from '../../run/form/formStore.ts';
import { useRun } from '../../run/state/runStore.ts';
import { addNotice, removeNotice, reportError } from '../../ui/open/openStore.ts';

/** The key after "#" in the address. */
const TASKS_KEY = 'own';
const NOTICE = 'linked-tasks';
const COPIED = 'copied-link';

export interface RunLink {
  readonly address: string;
  /** A sentence on what the link holds, or what it lacks. */
  readonly said: string;
  /** The user's own tasks that are too long for the link. */
  readonly lacks: LinkLack | null;
}

interface LinkLack {
  readonly text: string;
  /** Downloads the tasks as a file, which the receiver can import. */
  readonly save: () => void;
}

/** The address that makes a run again, on a page with the parts that `classroom` leaves. */
export async function linkTo(
  config: RunConfig,
  classroom: Classroom = { locked: new Set(), hidden: new Set() },
): Promise<RunLink> {
  const { origin, pathname } = window.location;
  const query = new URLSearchParams(linkQuery(config));
  // The usual seed is named too, so that a reader sees that the link makes the same run.
  query.set('seed', String(config.seed));
  for (const [key, value] of Object.entries(classroomQuery(classroom))) query.set(key, value);
  const address = `${origin}${pathname}?${query.toString()}`;
  const own = customTasksOf(config);
  const text = own.length === 0 ? '' : await linkedText(own);
  if (text === null) {
    const lack = `The link does not include ${own.map(({ name }) => name).join(', ')}: a link holds at most ${LONGEST_LINKED / 1024} kB. Send the file with the link; it can be imported under Your own task.`;
    const lacks = { text: lack, save: () => saveFile(customTasksFile(own)) };
    return { address, said: `Copied. ${lack}`, lacks };
  }
  return text === ''
    ? { address, said: 'Copied. The link reproduces this run exactly.', lacks: null }
    : {
        address: `${address}#${TASKS_KEY}=${text}`,
        said: 'Copied. The link holds the settings, the seed and your own task.',
        lacks: null,
      };
}

/** Copies a link and says what it holds; if the browser refuses, the answer is the address itself, to be copied by hand. */
export function copyLink({ address, said }: RunLink): Promise<string> {
  return navigator.clipboard.writeText(address).then(
    () => said,
    () => address,
  );
}

export const SAVE_TASKS = 'Save the file';

/** Copies the link to the run on the page, or to the form before there is a run. A notice tells the result. */
export async function copyPageLink(): Promise<void> {
  const { snapshot } = useRun.getState();
  const { form } = useForm.getState();
  const link = await linkTo(snapshot.config ?? form);
  const said = await copyLink(link);
  const title = said.startsWith('Copied') ? 'Link copied' : 'The browser does not let the page copy';
  const action = link.lacks && { label: SAVE_TASKS, act: link.lacks.save };
  addNotice({ id: COPIED, kind: 'info', title, text: said, ...(action && { action }) });
}

function described({ name, rows, grader }: CustomTask): string {
  const [first] = rows;
  const example = first === undefined ? '' : ` The first asks: ${first.question.slice(0, 200)}`;
  const scored = grader.kind === 'code' ? ', scored by a program in a sandbox' : '';
  return `${name}: ${plural(rows.length, 'row')}${scored}.${example}`;
}

function forget(): void {
  removeNotice(NOTICE);
  const { pathname, search } = window.location;
  window.history.replaceState(null, '', pathname + search);
}

/** Offers to add the tasks that the page's link carries, if they are missing. Never throws. */
export async function offerLinkedTasks(): Promise<void> {
  const text = new URLSearchParams(window.location.hash.slice(1)).get(TASKS_KEY);
  if (text === null) return;
  try {
    const present = new Set(
      useForm.getState().customTasks.map(({ definition }) => JSON.stringify(definition)),
    );
    const missing = (await tasksOfLinkedText(text)).filter((task) => !present.has(JSON.stringify(task)));
    if (missing.length === 0) return;
    addNotice({
      id: NOTICE,
      kind: 'info',
      title: `This link includes ${missing.length === 1 ? 'a task' : `${missing.length} tasks`} by its author`,
      text: `${missing.map(described).join('\n')}\nAdded tasks stay in this browser with your own. If one of yours has the same name, yours is renamed.`,
      action: {
        label: missing.length === 1 ? 'Add the task' : 'Add the tasks',
        act: () => void adoptCustomTasks(missing).then(forget).catch(notAdded),
      },
    });
  } catch (error) {
    notAdded(error);
  }
}

const notAdded = (error: unknown): void =>
  reportError('A task of this link was not added', error, 'Your tasks are unchanged.');
