/** What was typed to invite machines, in this tab's storage while the page is opened again for a server that was just allowed. */
import { setOpen } from '../../ui/open/openStore.ts';
import { changeMachines } from '../state/runStore.ts';

const TYPED = 'rl-playground-invite';

export interface Typed {
  readonly address: string;
  readonly token: string;
  /** Whether generators of this page answer too. */
  readonly local: boolean;
}

export function rememberTyped(typed: Typed | null): void {
  try {
    if (typed === null) sessionStorage.removeItem(TYPED);
    else sessionStorage.setItem(TYPED, JSON.stringify(typed));
  } catch {
    // Then it is typed again.
  }
}

/** Takes back what was typed before the page was opened again. */
export function restoreTyped(): void {
  try {
    const text = sessionStorage.getItem(TYPED);
    if (text === null) return;
    sessionStorage.removeItem(TYPED);
    changeMachines(JSON.parse(text) as Typed);
    setOpen('machines');
  } catch {
    // It is typed again.
  }
}
