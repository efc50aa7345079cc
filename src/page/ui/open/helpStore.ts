/** Which of the two dialogs of help is open. */
import { create } from 'zustand';

export type HelpDialog = 'help' | 'commands';

export const useHelp = create<{ readonly open: HelpDialog | null }>(() => ({ open: null }));

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

export function openHelp(open: HelpDialog | null): void {
  const current = useHelp.getState().open;
  if (open === current) return;
  if (current === null) before = document.activeElement;
  useHelp.setState({ open });
  if (open === null) setTimeout(giveBack);
}

/** Keys of a keyboard, as its own maker writes them. */
export const MODIFIER = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl';
