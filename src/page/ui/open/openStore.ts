/** The open parts and the messages of the page: the kit's store, which this module alone changes. */
import { flushSync } from 'react-dom';
import { create } from 'zustand';
import { messageOf } from '@rl-playground/base/errors';
import type { FieldKey } from '@rl-playground/run/settings';
import type { ChosenFile, Notice } from '@rl-playground/run/session';
import type { Place } from './placeNames.ts';

/** Folds and dialogs that several places open. `ask` is the form that asks the model, and `ownTasks` the panel of the user's tasks. */
export type Part =
  | 'ask'
  | 'charts'
  | 'export'
  | 'keptOffer'
  | 'machines'
  | 'models'
  | 'ownTasks'
  | 'push'
  | 'sweep';

/** The places of the folds that other places open. A dialog opens over any place. */
const PLACE_OF_PART: Partial<Record<Part, Place>> = { ask: 'answers', machines: 'train', ownTasks: 'make' };

/** A thing to do in the first five minutes. */
export type Deed = 'run' | 'break' | 'mend' | 'ask' | 'lesson';

export type HelpDialog = 'help' | 'commands' | 'benchmark';

/** A question to the visitor, before the page talks to servers that are not its own. */
export interface ConnectionAsked {
  /** The servers as a policy names them, `https://host`. The first is the one that is meant, and it redirects to the others. */
  readonly servers: readonly string[];
  readonly answer: (allowed: boolean) => void;
}

/** A message of the page, which may come with something to do about it. */
export interface PageNotice extends Notice {
  readonly action?: { readonly label: string; readonly act: () => void };
  /** The page scrolls to the notice, because its cause may be far below. */
  readonly inView?: true;
}

interface OpenState {
  readonly place: Place;
  /** False while the settings beside the charts are folded away. */
  readonly settingsShown: boolean;
  readonly parts: ReadonlySet<Part>;
  readonly help: HelpDialog | null;
  /** The drawer of settings, and the setting that gets the focus as soon as it is drawn. */
  readonly drawer: { readonly open: boolean; readonly wanted: FieldKey | null };
  readonly connection: ConnectionAsked | null;
  /** Messages that do not come from a run. */
  readonly notices: readonly PageNotice[];
  /** A dropped file of rows for a custom task that was not read yet. */
  readonly droppedRows: File | null;
  /** The files that were chosen for the dialog of sweeps. */
  readonly sweepFiles: readonly ChosenFile[];
  readonly deeds: ReadonlySet<Deed>;
  /** True once the parts below the first view are drawn. */
  readonly restDrawn: boolean;
}

export const useOpen = create<OpenState>(() => ({
  place: 'train',
  settingsShown: true,
  // What a place is mainly for is open from the start.
  parts: new Set<Part>(['ask', 'ownTasks']),
  help: null,
  drawer: { open: false, wanted: null },
  connection: null,
  notices: [],
  droppedRows: null,
  sweepFiles: [],
  deeds: new Set(),
  restDrawn: false,
}));

/** Draws the parts below the first view at once. */
export function drawTheRest(): void {
  flushSync(() => useOpen.setState({ restDrawn: true }));
}

/** Shows a place of the page at once, so that its parts can be scrolled to. */
export function showPlace(place: Place): void {
  if (useOpen.getState().place !== place) flushSync(() => useOpen.setState({ place }));
}

/** The place that the page opens with, before anything is drawn. */
export const beginAt = (place: Place): void => useOpen.setState({ place });

export const showSettings = (settingsShown: boolean): void => useOpen.setState({ settingsShown });

export const useIsOpen = (part: Part): boolean => useOpen(({ parts }) => parts.has(part));

export function setOpen(part: Part, open = true): void {
  useOpen.setState(({ parts }) => {
    const now = new Set(parts);
    if (open) now.add(part);
    else now.delete(part);
    return { parts: now };
  });
  const place = PLACE_OF_PART[part];
  if (open && place !== undefined) showPlace(place);
}

export const openDrawer = (wanted: FieldKey | null = null): void =>
  useOpen.setState({ drawer: { open: true, wanted }, place: 'train', settingsShown: true });

export const closeDrawer = (): void => useOpen.setState({ drawer: { open: false, wanted: null } });

export const askConnection = (connection: ConnectionAsked | null): void => useOpen.setState({ connection });

/** Gives rows to the panel of the user's tasks and opens it; null once they are read. */
export function dropRows(droppedRows: File | null): void {
  useOpen.setState({ droppedRows });
  if (droppedRows !== null) setOpen('ownTasks');
}

export function noteDeed(...done: readonly Deed[]): void {
  const { deeds } = useOpen.getState();
  if (done.some((deed) => !deeds.has(deed))) useOpen.setState({ deeds: new Set([...deeds, ...done]) });
}

export const chooseSweep = (sweepFiles: readonly ChosenFile[]): void => useOpen.setState({ sweepFiles });

export function addNotice(notice: PageNotice): void {
  useOpen.setState(({ notices }) => ({ notices: [...notices.filter(({ id }) => id !== notice.id), notice] }));
}

export function removeNotice(id: string): void {
  const { notices } = useOpen.getState();
  if (notices.some((notice) => notice.id === id))
    useOpen.setState({ notices: notices.filter((notice) => notice.id !== id) });
}

/** Adds a notice of what happened, the error's own words, and what to do. */
export function reportError(title: string, error: unknown, advice: string): void {
  addNotice({ id: title, kind: 'error', title, text: `${messageOf(error)}\n${advice}` });
}

/** The button that starts, pauses and goes on. */
const START = '[aria-keyshortcuts="Control+Enter"]';

/** The element with the focus before a dialog was opened. */
let before: Element | null = null;

/** Gives the focus back, or to Train where that element is gone. */
function giveBack(): void {
  const start = document.querySelector(START);
  for (const element of [before, start]) {
    if (element === document.body || !(element instanceof HTMLElement)) continue;
    element.focus({ preventScroll: true });
    if (document.activeElement === element) return;
  }
}

export function openHelp(help: HelpDialog | null): void {
  const current = useOpen.getState().help;
  if (help === current) return;
  if (current === null) before = document.activeElement;
  useOpen.setState({ help });
  if (help === null) setTimeout(giveBack);
}
