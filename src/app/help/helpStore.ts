/** Which of the two dialogs of help is open. */
import { create } from 'zustand';

export type HelpDialog = 'help' | 'commands';

export const useHelp = create<{ readonly open: HelpDialog | null }>(() => ({ open: null }));

/** What had the focus before a dialog was opened, which is gone from the page as soon as it closes. */
let before: Element | null = null;

export function openHelp(open: HelpDialog | null): void {
  if (useHelp.getState().open === null) before = document.activeElement;
  useHelp.setState({ open });
  if (open === null)
    setTimeout(() => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    });
}

/** Keys of a keyboard, as its own maker writes them. */
export const MODIFIER = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl';
