/** What is open in the page and what it says: the kit's store, which this module alone changes. */
import { flushSync } from 'react-dom';
import { create } from 'zustand';
import { messageOf } from '@rl-playground/base/errors';
import type { FieldKey } from '@rl-playground/run/settings';
import type { ChosenFile, Notice } from '@rl-playground/run/session';

/** Folds and dialogs that more than their own buttons open: `ask` is the form that asks the model, `ownTasks` the panel of the user's tasks. */
export type Part =
  | 'ask'
  | 'export'
  | 'keptOffer'
  | 'lessons'
  | 'machines'
  | 'models'
  | 'ownTasks'
  | 'push'
  | 'sweep';

export type HelpDialog = 'help' | 'commands';

/** A question to the visitor, before the page talks to servers that are not its own. */
export interface ConnectionAsked {
  /** As a policy names them: `https://host`; the first is the one that is meant, others are what it sends on to. */
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
  readonly parts: ReadonlySet<Part>;
  readonly help: HelpDialog | null;
  /** The drawer of all other settings, and the one of them that gets the focus as soon as it is drawn. */
  readonly drawer: { readonly open: boolean; readonly wanted: FieldKey | null };
  readonly connection: ConnectionAsked | null;
  /** Messages that no run is to blame for: the address, the start, an action that failed. */
  readonly notices: readonly PageNotice[];
  /** A file of rows for a custom task that was dropped and not read yet. */
  readonly droppedRows: File | null;
  /** What was chosen for the dialog of sweeps: files of a sweep's folder, or its file alone. */
  readonly sweepFiles: readonly ChosenFile[];
  /** Whether what lies below the first view is drawn. */
  readonly restDrawn: boolean;
}

export const useOpen = create<OpenState>(() => ({
  parts: new Set<Part>(),
  help: null,
  drawer: { open: false, wanted: null },
  connection: null,
  notices: [],
  droppedRows: null,
  sweepFiles: [],
  restDrawn: false,
}));

/** Draws what lies below the first view, and from now on everything at once. */
export function drawTheRest(): void {
  flushSync(() => useOpen.setState({ restDrawn: true }));
}

export const useIsOpen = (part: Part): boolean => useOpen(({ parts }) => parts.has(part));

export function setOpen(part: Part, open = true): void {
  useOpen.setState(({ parts }) => {
    const now = new Set(parts);
    if (open) now.add(part);
    else now.delete(part);
    return { parts: now };
  });
}

export const openDrawer = (wanted: FieldKey | null = null): void =>
  useOpen.setState({ drawer: { open: true, wanted } });

export const closeDrawer = (): void => useOpen.setState({ drawer: { open: false, wanted: null } });

export const askConnection = (connection: ConnectionAsked | null): void => useOpen.setState({ connection });

/** Hands rows to the panel of the user's tasks, which is opened; null once they are read. */
export function dropRows(droppedRows: File | null): void {
  useOpen.setState({ droppedRows });
  if (droppedRows !== null) setOpen('ownTasks');
}

export const chooseSweep = (sweepFiles: readonly ChosenFile[]): void => useOpen.setState({ sweepFiles });

export function addNotice(notice: PageNotice): void {
  useOpen.setState(({ notices }) => ({ notices: [...notices.filter(({ id }) => id !== notice.id), notice] }));
}

/** Takes a notice back that no longer holds. */
export function removeNotice(id: string): void {
  const { notices } = useOpen.getState();
  if (notices.some((notice) => notice.id === id))
    useOpen.setState({ notices: notices.filter((notice) => notice.id !== id) });
}

/** A notice of what happened, the error's own words, and what to do. */
export function reportError(title: string, error: unknown, advice: string): void {
  addNotice({ id: title, kind: 'error', title, text: `${messageOf(error)}\n${advice}` });
}

/** The button that starts, pauses and goes on, whatever it says now. */
const START = '[aria-keyshortcuts="Control+Enter"]';

/** What had the focus before a dialog was opened, which is gone from the page as soon as it closes. */
let before: Element | null = null;

/** Gives the focus back; to Train, where nothing had it or what had it is gone. */
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
