/** Who is invited to generate for this page's run, and who of them is there. */
import { create } from 'zustand';
import type { ServerAddress } from '../../../machines/addresses.ts';
import type { InvitedMachines } from '../../../run/types.ts';

/** What was typed, in this tab's storage while the page is opened again for a server that was just allowed. */
export const TYPED = 'rl-playground-invite';

export interface Typed {
  readonly address: string;
  readonly token: string;
  /** Whether generators of this page answer too. */
  readonly local: boolean;
}

export interface MachinesState extends Typed {
  readonly open: boolean;
  /** With the token, while somebody is invited. */
  readonly server: ServerAddress | null;
  readonly now: InvitedMachines | null;
  readonly working: boolean;
  readonly problem: string | null;
}

/** What was typed before the page was opened again; null where it was not. */
function typedBefore(): Typed | null {
  try {
    const text = sessionStorage.getItem(TYPED);
    sessionStorage.removeItem(TYPED);
    return text === null ? null : (JSON.parse(text) as Typed);
  } catch {
    return null;
  }
}

export const useMachines = create<MachinesState>(() => {
  const before = typedBefore();
  return {
    ...(before ?? { address: '', token: '', local: true }),
    open: before !== null,
    server: null,
    now: null,
    working: false,
    problem: null,
  };
});
